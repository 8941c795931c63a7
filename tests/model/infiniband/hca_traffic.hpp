// SPDX-License-Identifier: Apache-2.0
// Random messages of every kind between two cards, in both directions over several queue pairs, and whether each has
// come as a reliable connection promises:
//
//   HcaParts p;                      // losses, buffers, clocks
//   HcaTraffic t(p, {seed, pairs});
//   CHECK(t.run() == "");            // else a line for each thing that went wrong
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "comm/world/start_line.hpp"
#include "model/infiniband/hca_bench.hpp"
#include "stats/random.hpp"

namespace tsunagi::test {

struct TrafficConfig {
  std::uint64_t seed = 1;
  int pairs = 2;
  int messages = 40;  // of each node
  Bytes longest = 65537_B;
  bool shared_receives = false;
  int receives = 64;       // of a queue, posted before time 0
  Time pause = 0_ns;       // at most, now and then before a post
  Time late = 0_ns;        // at most, before a receive that was used is posted again
  int stops = 0;           // of queue pairs by the driver of a card with firmware, and starts
  Time stop_pause = 1_us;  // at most, before each
  int max_train = 1;
  std::string findings;  // of the run before, in trains
};

class HcaTraffic {
 public:
  HcaTraffic(const HcaParts& p, const TrafficConfig& c)
      : config_(c),
        mtu_(p.verbs.mtu),
        depth_(p.verbs.depth),
        random_(c.seed, "traffic"),
        bench_(p, c.pairs, c.max_train, c.shared_receives, c.receives, c.findings) {
    for (int me = 0; me < 2; ++me) plan(me);
    for (int me = 0; me < 2; ++me) prepare(me);
  }
  HcaBench& bench() { return bench_; }
  std::int64_t lost() { return bench_.card(0).lost() + bench_.card(1).lost(); }

  std::string run(Time limit = 10_s) {
    for (int me = 0; me < 2; ++me) {
      bench_.program(me, [this, me](Fiber& f) { post(f, me); });
      bench_.program(
          me, [this, me](Fiber& f) { receive(f, me); }, "receiver");
      if (config_.stops > 0)
        bench_.program(
            me, [this, me](Fiber& f) { stop_and_start(f, me); }, "driver");
    }
    expect(bench_.ended(limit), "");
    if (!wrong_.empty()) return wrong_;  // what is missing follows from that
    for (int me = 0; me < 2; ++me) check(me);
    return wrong_;
  }

 private:
  using Operation = infiniband::Operation;
  static constexpr std::uint64_t pattern = 0x20000, counter = 0x80000, slots = 0x100'0000, slot = 0x20000;
  struct Message {
    infiniband::WorkRequest what;
    int pair = 0;
    std::uint32_t number = 0;  // in its queue pair, from 1 on
    std::uint64_t source = 0;  // in the pattern of who has the data
    std::uint64_t entry = 0;   // of its completion, in memory; 0: none
    std::uint64_t to = 0;      // of a send: where the receiver put it
    std::uint64_t received = 0;
    std::uint64_t found = 0;  // by an atomic operation, as it has to be
  };

  template <class A, class B>
  void expect(const A& a, const B& b, const std::string& of = {}) {
    if (a == b || wrong_.size() > 2000) return;
    if constexpr (std::is_integral_v<A>)
      wrong_ += fmt::format("{}: {} instead of {}\n", of, a, b);
    else
      wrong_ += fmt::format("{}: {}\n", of, a);
  }
  std::vector<Message>& messages(int me) { return messages_[me]; }
  /// Below, at and above a packet, a few packets, and long ones.
  Bytes size() {
    const Bytes around[] = {0_B, 1_B, 8_B, 64_B, mtu_ - 1_B, mtu_, mtu_ + 1_B, mtu_ * 2, config_.longest};
    const std::int64_t i = random_.below(14);
    if (i < 9) return std::min(around[i], config_.longest);
    return Bytes(random_.below(std::min<Bytes>(i < 12 ? mtu_ * 4 : config_.longest, config_.longest).count()) + 1);
  }
  std::uint64_t next_slot(int node, stats::RandomStream& random) {
    const std::int64_t offset = random.chance(1, 2) ? random.below(4096) : 0;
    return bench_.user(node, slots + slot * slots_[node]++ + static_cast<std::uint64_t>(offset));
  }
  std::uint64_t counter_of(int node, int i) { return bench_.user(node, counter + 8 * static_cast<std::uint64_t>(i)); }

  void plan(int me) {
    std::vector<int> untold(static_cast<std::size_t>(config_.pairs)), numbers = untold, swaps = untold;
    for (int i = 0; i < config_.messages; ++i) {
      Message m;
      m.pair = static_cast<int>(random_.below(config_.pairs));
      const auto q = static_cast<std::size_t>(m.pair);
      m.number = static_cast<std::uint32_t>(++numbers[q]);
      const Operation all[] = {Operation::send, Operation::write, Operation::read, Operation::fetch_and_add,
                               Operation::compare_and_swap};
      infiniband::WorkRequest& w = m.what;
      w.operation = all[random_.below(5)];
      w.signalled = random_.chance(2, 3) || ++untold[q] >= depth_ / 2;
      if (w.signalled) untold[q] = 0;
      if (infiniband::is_atomic(w.operation))
        plan_atomic(me, m, swaps[q]);
      else
        plan_data(me, m);
      messages(me).push_back(m);
    }
  }
  void plan_data(int me, Message& m) {
    infiniband::WorkRequest& w = m.what;
    w.length = size();
    m.source = static_cast<std::uint64_t>(random_.below(4096));
    const std::uint64_t from = bench_.user(w.operation == Operation::read ? 1 - me : me, m.source);
    if (w.operation == Operation::read) {
      w.local = next_slot(me, random_);
      w.remote = from;
      return;
    }
    w.local = from;
    if (w.operation == Operation::write) w.remote = next_slot(1 - me, random_);
    w.has_immediate = w.operation == Operation::send && random_.chance(1, 2);
    if (w.has_immediate) w.immediate = static_cast<std::uint32_t>(random_.bits());
  }
  /// Additions go to one word of the peer from all queue pairs, exchanges to one of each.
  void plan_atomic(int me, Message& m, int& swapped) {
    infiniband::WorkRequest& w = m.what;
    w.length = 8_B;
    w.local = bench_.user(me, slots + slot * slots_[me]++);
    if (w.operation == Operation::fetch_and_add) {
      w.remote = counter_of(1 - me, 0);
      w.operand = 1;
      return;
    }
    w.remote = counter_of(1 - me, 1 + m.pair);
    m.found = static_cast<std::uint64_t>(swapped);
    const bool fits = random_.chance(3, 4);
    w.compare = m.found + (fits ? 0 : 1000);
    w.operand = m.found + 1;
    if (fits) ++swapped;
  }
  /// Data in memory, and the first receives.
  void prepare(int me) {
    for (std::uint64_t i = 0; i < pattern; ++i) data_[me].push_back(static_cast<std::uint8_t>(random_.bits()));
    for (std::uint64_t at = 0; at < pattern; at += 4096)
      bench_.memory(me).preset(bench_.user(me, at), {&data_[me][at], 4096});
    posted_[me].resize(static_cast<std::size_t>(config_.shared_receives ? 1 : config_.pairs));
    for (std::size_t q = 0; q < posted_[me].size(); ++q)
      for (int i = 0; i < config_.receives; ++i) {
        posted_[me][q].push_back(next_slot(me, random_));
        bench_.node(me).preset_receive(bench_.receives(me, static_cast<int>(q)), posted_[me][q].back(),
                                       config_.longest);
      }
  }

  /// The messages of a queue pair that are told, in their order.
  std::vector<Message*> of(int me, int pair, bool (*which)(const Message&)) {
    std::vector<Message*> out;
    for (Message& m : messages(me))
      if (m.pair == pair && which(m)) out.push_back(&m);
    return out;
  }
  void post(Fiber& f, int me) {
    stats::RandomStream random(config_.seed, me == 0 ? "post 0" : "post 1");
    std::vector<std::vector<Message*>> told;
    std::vector<std::size_t> next(static_cast<std::size_t>(config_.pairs));
    for (int q = 0; q < config_.pairs; ++q)
      told.push_back(of(me, q, [](const Message& m) { return m.what.signalled; }));
    std::size_t left = 0;
    for (const auto& t : told) left += t.size();
    const auto wait = [&] {
      const std::uint64_t entry = bench_.next_done(me);
      bench_.await_done(f, me);
      const infiniband::Completion c = bench_.done(f, me);
      const auto q = static_cast<std::size_t>(c.queue_pair);
      Message& m = *told[q].at(next[q]++);
      expect(c.index, static_cast<std::uint16_t>(m.number - 1), "index of a completion");
      expect(c.length.count(), m.what.length.count(), "length of a completion");
      m.entry = entry;
      bench_.queue(me, m.pair).completed = m.number;
      --left;
    };
    for (Message& m : messages(me)) {
      if (config_.pause > 0_ns && random.chance(1, 4))
        f.wait_until(f.now() + Time::from_fs(random.below(config_.pause.fs())));
      const libraries::QueueEnd& q = bench_.queue(me, m.pair);
      while (q.posted - q.completed == static_cast<std::uint64_t>(q.sends.entries)) wait();
      while (suspended_[me]) f.wait_until(f.now() + 1_us);
      posting_[me] = true;
      bench_.post(f, me, m.what, m.pair);
      posting_[me] = false;
    }
    while (left > 0) wait();
  }
  void receive(Fiber& f, int me) {
    stats::RandomStream random(config_.seed, me == 0 ? "receive 0" : "receive 1");
    std::vector<std::vector<Message*>> sends;
    std::vector<std::size_t> next(static_cast<std::size_t>(config_.pairs));
    std::size_t left = 0;
    for (int q = 0; q < config_.pairs; ++q) {
      sends.push_back(of(1 - me, q, [](const Message& m) { return m.what.operation == Operation::send; }));
      left += sends.back().size();
    }
    for (; left > 0; --left) {
      const std::uint64_t entry = bench_.next_received(me);
      bench_.await_received(f, me);
      const infiniband::Completion c = bench_.received(f, me);
      const std::size_t pair = c.queue_pair, q = config_.shared_receives ? 0 : pair;
      Message& m = *sends.at(pair).at(next[pair]++);
      expect(c.length.count(), m.what.length.count(), "length of a receive");
      expect(c.has_immediate, m.what.has_immediate, "whether a receive has immediate data");
      expect(c.immediate, m.what.immediate, "immediate data");
      m.to = posted_[me][q].at(c.index);
      m.received = entry;
      if (config_.late > 0_ns) f.wait_until(f.now() + Time::from_fs(random.below(config_.late.fs())));
      posted_[me][q].push_back(next_slot(me, random));
      bench_.node(me).post_receive(f, bench_.receives(me, static_cast<int>(q)), posted_[me][q].back(), config_.longest);
    }
  }

  using Command = infiniband::Command;
  void command(Fiber& f, int me, Command::Code code, Command::Of of, std::int64_t first, std::int64_t count) {
    Command c;
    c.code = code;
    c.of = of;
    c.first = static_cast<std::uint32_t>(first);
    c.count = static_cast<std::uint32_t>(count);
    bench_.commands(me).run(f, c, static_cast<int>(first));
  }
  /// Some queue pairs of a card come to rest, or all of both, whose state may then be saved, forgotten and put back.
  void stop_and_start(Fiber& f, int me) {
    stats::RandomStream common(config_.seed, "driver");  // alike at both
    stats::RandomStream mine(config_.seed, me == 0 ? "driver 0" : "driver 1");
    constexpr Command::Of pairs = Command::Of::queue_pairs;
    for (int i = 0; i < config_.stops; ++i) {
      f.wait_until(f.now() + Time::from_fs(mine.below(config_.stop_pause.fs())));
      const bool all = common.chance(1, 2), saved = common.chance(1, 2);
      const std::int64_t first = all ? 0 : mine.below(config_.pairs);
      const std::int64_t count = all ? config_.pairs : 1 + mine.below(config_.pairs - first);
      // What has been saved knows of no request that is posted later: who posts is suspended.
      suspended_[me] = all && saved;
      while (suspended_[me] && posting_[me]) f.wait_until(f.now() + 1_us);
      command(f, me, Command::Code::stop, pairs, first, count);
      bench_.commands(me).await_stable(f, static_cast<int>(first));
      if (all) line_.meet(f, 2, [] {});
      if (all && saved) swap(f, me);
      if (all) line_.meet(f, 2, [] {});
      command(f, me, Command::Code::start, pairs, first, count);
      suspended_[me] = false;
    }
  }
  /// Each kind of queue alone, since they share the place where they are saved.
  void swap(Fiber& f, int me) {
    const auto receives = static_cast<std::int64_t>(posted_[me].size());
    const std::pair<Command::Of, std::int64_t> kinds[] = {{Command::Of::queue_pairs, config_.pairs},
                                                          {Command::Of::receive_queues, receives},
                                                          {Command::Of::completion_queues, 2}};
    for (const auto& kind : kinds)
      for (const auto code : {Command::Code::save, Command::Code::reset, Command::Code::restore})
        command(f, me, code, kind.first, 0, kind.second);
  }

  /// What is in memory in the end.
  void check(int me) {
    std::uint64_t added = 0;
    for (Message& m : messages(me)) {
      const bool here = infiniband::is_answered(m.what.operation);
      const int node = here ? me : 1 - me;
      if (!here && m.what.operation == Operation::write) m.to = m.what.remote;
      if (here) m.to = m.what.local;
      const std::string name =
          fmt::format("node{} pair {} message {} of {} B", me, m.pair, m.number, m.what.length.count());
      const bool read = m.what.operation == Operation::read;
      expect(bench_.once(node, m.to, m.what.length, read ? m.what.remote : 0, here ? 0 : m.number), "", name);
      expect(bench_.first_behind(node, m.to, m.what.length, here ? m.entry : m.received), "", name);
      if (infiniband::is_atomic(m.what.operation)) {
        const std::uint64_t found = bench_.memory(me).word_ending_at(m.to + 8).value;
        if (m.what.operation == Operation::compare_and_swap)
          expect(found, m.found, name + " found");
        else
          found_[me].push_back(found), ++added;
        continue;
      }
      const auto& data = data_[read ? 1 - me : me];
      const std::vector<std::uint8_t> said = bench_.memory(node).bytes(m.to, m.what.length);
      if (!std::equal(said.begin(), said.end(), data.begin() + static_cast<std::ptrdiff_t>(m.source)))
        expect(std::string("other bytes"), "", name);
    }
    std::sort(found_[me].begin(), found_[me].end());
    for (std::size_t i = 0; i < found_[me].size(); ++i) expect(found_[me][i], i, "sum that was found");
    expect(bench_.memory(1 - me).word_ending_at(counter_of(1 - me, 0) + 8).value, added, "sum");
  }

  TrafficConfig config_;
  Bytes mtu_;
  int depth_;
  stats::RandomStream random_;
  HcaBench bench_;
  comm::StartLine line_;
  bool suspended_[2] = {false, false};
  bool posting_[2] = {false, false};
  std::string wrong_;
  std::vector<Message> messages_[2];
  std::vector<std::uint8_t> data_[2];
  std::vector<std::vector<std::uint64_t>> posted_[2];
  std::vector<std::uint64_t> found_[2];
  std::uint64_t slots_[2] = {0, 0};
};

}  // namespace tsunagi::test
