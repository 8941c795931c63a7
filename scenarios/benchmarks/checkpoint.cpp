// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/error_at.hpp"
#include "scenarios/bounds.hpp"
#include "scenarios/scenario.hpp"
#include "units/checked.hpp"
#include "units/parse.hpp"

namespace tsunagi::scenarios {

namespace {

enum class At : std::uint8_t { stop, save, swap };

struct CheckpointConfig {
  At at = At::stop;
  Time quantum = 100_ms;
  int rounds = 1;
  int messages = 0;
  Bytes size = 1_KiB;
};

void describe(CheckpointConfig& c, config::Describer& d) {
  using namespace config;
  d.choice("at_end", c.at,
           {{"stop", static_cast<std::int64_t>(At::stop), "the network is brought to rest, and goes on"},
            {"save", static_cast<std::int64_t>(At::save), "its state is saved meanwhile: a checkpoint"},
            {"swap", static_cast<std::int64_t>(At::swap),
             "it is saved, the cards forget it, and it is put back: as when jobs have turns"}},
           "what is done at a quantum's end");
  d.field("quantum", c.quantum, "from one such end to the next", within(1_us, 10_s));
  d.field("rounds", c.rounds, "quanta, a row each", within(1, 100'000));
  d.field("messages", c.messages, "that each rank sends at a quantum's end, to all others in turns",
          within(0, 1'000'000));
  d.field("size", c.size, "bytes of the longest of them", within(1_B, largest_given));
}

/// Gang scheduling and checkpoints (SCore-D: PM's network comes to rest each 100 ms): at the end of each quantum all
/// ranks send messages, as many as there are buffers for, and stop at once, with those under way. When all are stable,
/// what is to be done then is done, and they go on: send the rest, and take what has come, until the next end. That all
/// ranks are so far is known to all of them at no cost: the scheduler has a network of its own. All messages have
/// lengths that say which they are; one that is lost, comes twice or before its time is a failure.
class Checkpoint final : public Scenario {
 public:
  explicit Checkpoint(CheckpointConfig c) : config_(c) {}
  int ranks() const override { return 2; }
  Bytes footprint(int /*ranks*/) const override { return Bytes::zero(); }
  void fit(comm::World& w) override;
  void declare(report::Recorder& /*r*/, const comm::Library& /*c*/) const override {}
  void program(comm::Rank& rank, report::Recorder& r) override;

 private:
  /// A rank's messages: how many it has sent to each other one, and taken from it.
  struct Traffic {
    std::vector<std::int64_t> sent;
    std::vector<std::int64_t> taken;
    std::int64_t sent_to_all = 0;
    std::int64_t to_send = 0;
    std::int64_t to_take = 0;
  };
  /// Message `i` from rank `from`: its length says both.
  Bytes length(int from, std::int64_t i) const {
    return Bytes(1 + (i * 37 + from * std::int64_t{11}) % config_.size.count());
  }
  /// That a rank sends to another one in a round.
  std::int64_t to_one(const comm::Rank& rank, int from, int to) const {
    const int others = rank.size() - 1, place = (to - from - 1 + rank.size()) % rank.size();
    return config_.messages / others + (place < config_.messages % others ? 1 : 0);
  }
  void begin_round(const comm::Rank& rank, Traffic& t) const;
  /// The next message, if there is one, and a buffer for it.
  bool send_one(comm::Rank& rank, Traffic& t) const;
  bool take_one(comm::Rank& rank, Traffic& t) const;
  /// Sends and takes until `end`, or, in the last round, until nothing is left.
  void go_on(comm::Rank& rank, Traffic& t, Time end) const;
  void at_end(comm::Rank& rank, report::Recorder& r, const Traffic& t, int round);
  /// Does it, and remembers the longest time that it takes anybody.
  template <class F>
  static void timed(const comm::Rank& rank, Time& longest, F&& what) {
    const Time begin = rank.now();
    what();
    longest = std::max(longest, rank.now() - begin);
  }

  CheckpointConfig config_;
  comm::StartLine line_;
  struct Longest {
    Time stable, save, reset, restore, resume;
  } longest_;
  std::int64_t not_taken_ = 0;  // by all ranks when all are stable
};

void Checkpoint::fit(comm::World& w) {
  const auto* buffers = w.library().facet<comm::BufferedMessages>();
  if (buffers == nullptr || w.library().facet<comm::Checkpoints>() == nullptr)
    throw config::error_at("/library",
                           "the library cannot bring its network to rest (pm can, with a queue pair a peer, on cards "
                           "that take commands: \"firmware_hca\")");
  if (config_.size > buffers->longest())
    throw config::error_at("/scenario/size", "messages of at most " + to_string(buffers->longest()) +
                                                 ", the library's \"longest\", not " + to_string(config_.size));
}

void Checkpoint::program(comm::Rank& rank, report::Recorder& r) {
  Traffic t;
  t.sent.resize(static_cast<std::size_t>(rank.size()));
  t.taken.resize(t.sent.size());
  Time end = rank.now();
  for (int round = 0; round < config_.rounds; ++round) {
    end += config_.quantum;
    go_on(rank, t, end);
    begin_round(rank, t);
    while (send_one(rank, t)) continue;
    at_end(rank, r, t, round);
  }
  go_on(rank, t, Time::max());
}

void Checkpoint::begin_round(const comm::Rank& rank, Traffic& t) const {
  t.to_send += config_.messages;
  for (int from = 0; from < rank.size(); ++from)
    if (from != rank.id()) t.to_take += to_one(rank, from, rank.id());
}

bool Checkpoint::send_one(comm::Rank& rank, Traffic& t) const {
  if (t.to_send == 0) return false;
  const std::int64_t place = t.sent_to_all % config_.messages % (rank.size() - 1);
  const int peer = static_cast<int>((rank.id() + 1 + place) % rank.size());
  std::int64_t& sent = t.sent[static_cast<std::size_t>(peer)];
  auto pm = rank.buffered();
  if (!pm.get_buffer(peer, length(rank.id(), sent))) return false;
  ++sent;
  ++t.sent_to_all;
  --t.to_send;
  pm.send_buffer();
  return true;
}

bool Checkpoint::take_one(comm::Rank& rank, Traffic& t) const {
  auto pm = rank.buffered();
  const auto m = pm.look();
  if (!m) return false;
  std::int64_t& taken = t.taken[static_cast<std::size_t>(m->peer)];
  if (m->size != length(m->peer, taken))
    rank.complain("rank " + std::to_string(rank.id()) + ": message " + std::to_string(taken) + " of rank " +
                  std::to_string(m->peer) + " is missing, or has come twice");
  ++taken;
  --t.to_take;
  pm.release(*m);
  return true;
}

void Checkpoint::go_on(comm::Rank& rank, Traffic& t, Time end) const {
  while (rank.now() < end) {
    if (t.to_send == 0 && t.to_take <= 0) return end == Time::max() ? void() : rank.wait_until(end);
    const bool sent = send_one(rank, t), took = take_one(rank, t);
    if (!sent && !took) rank.buffered().wait(end);
  }
}

void Checkpoint::at_end(comm::Rank& rank, report::Recorder& r, const Traffic& t, int round) {
  timed(rank, longest_.stable, [&] { rank.send_stable(); });
  not_taken_ += t.to_take;
  const auto nothing = [] {};
  rank.meet(line_, nothing);
  if (config_.at != At::stop) timed(rank, longest_.save, [&] { rank.save_contexts(); });
  if (config_.at == At::swap) {
    rank.meet(line_, nothing);
    timed(rank, longest_.reset, [&] { rank.reset_contexts(); });
    timed(rank, longest_.restore, [&] { rank.restore_contexts(); });
  }
  rank.meet(line_, nothing);
  timed(rank, longest_.resume, [&] { rank.resume(); });
  rank.meet(line_, [&] {
    auto& row = r.row()
                    .count("round", round + 1)
                    .count("ranks", rank.size())
                    .count("messages", std::int64_t{config_.messages} * rank.size())
                    .count("not_taken", not_taken_)
                    .time("stable", longest_.stable);
    if (config_.at != At::stop) row.bytes("contexts", rank.saved_contexts()).time("save", longest_.save);
    if (config_.at == At::swap) row.time("reset", longest_.reset).time("restore", longest_.restore);
    row.time("resume", longest_.resume).headline({"stable", "the longest of any rank"});
    longest_ = {};
    not_taken_ = 0;
  });
}

}  // namespace

ScenarioKind checkpoint_scenario() {
  return scenario<Checkpoint, CheckpointConfig>(
      "checkpoint", "the network brought to rest, saved and put back each quantum, with messages under way");
}

}  // namespace tsunagi::scenarios
