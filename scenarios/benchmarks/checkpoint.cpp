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
  d.field("messages", c.messages,
          "that each rank sends at a quantum's end, to all others in turns, and does not wait for",
          within(0, 1'000'000));
  d.field("size", c.size, "bytes of the longest of them", within(1_B, largest_given));
}

/// Gang scheduling and checkpoints (SCore-D: PM's network comes to rest each 100 ms): at the end of each quantum all
/// ranks send messages and stop at once, with those under way; when all are stable what is to be done then is done, and
/// they go on. That all ranks are so far is known to all of them at no cost: the scheduler has a network of its own.
/// All messages have lengths that say which they are; one that is lost, comes twice or before its time is a failure.
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
    std::int64_t missing = 0;  // that have been sent to it, or will be in this round, and are not taken
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
  void send_all(comm::Rank& rank, Traffic& t) const;
  void take(comm::Rank& rank, Traffic& t, const comm::BufferedMessages::Received& m) const;
  void take_all(comm::Rank& rank, Traffic& t) const;
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
  std::int64_t missing_ = 0;  // of all ranks when all are stable
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
  const Time begin = rank.now();
  for (int round = 0; round < config_.rounds; ++round) {
    rank.wait_until(begin + config_.quantum * (round + 1));
    for (int from = 0; from < rank.size(); ++from)
      if (from != rank.id()) t.missing += to_one(rank, from, rank.id());
    send_all(rank, t);
    at_end(rank, r, t, round);
    take_all(rank, t);
  }
}

void Checkpoint::send_all(comm::Rank& rank, Traffic& t) const {
  auto pm = rank.buffered();
  for (int i = 0; i < config_.messages; ++i) {
    const int peer = (rank.id() + 1 + i % (rank.size() - 1)) % rank.size();
    std::int64_t& sent = t.sent[static_cast<std::size_t>(peer)];
    while (!pm.get_buffer(peer, length(rank.id(), sent))) {
      if (const auto m = pm.look())
        take(rank, t, *m);
      else
        pm.wait();
    }
    ++sent;
    pm.send_buffer();
  }
}

void Checkpoint::take(comm::Rank& rank, Traffic& t, const comm::BufferedMessages::Received& m) const {
  std::int64_t& taken = t.taken[static_cast<std::size_t>(m.peer)];
  if (m.size != length(m.peer, taken))
    rank.complain("rank " + std::to_string(rank.id()) + ": message " + std::to_string(taken) + " of rank " +
                  std::to_string(m.peer) + " is missing, or has come twice");
  ++taken;
  --t.missing;
  rank.buffered().release(m);
}

void Checkpoint::take_all(comm::Rank& rank, Traffic& t) const {
  auto pm = rank.buffered();
  while (t.missing > 0) {
    if (const auto m = pm.look())
      take(rank, t, *m);
    else
      pm.wait();
  }
}

void Checkpoint::at_end(comm::Rank& rank, report::Recorder& r, const Traffic& t, int round) {
  timed(rank, longest_.stable, [&] { rank.send_stable(); });
  missing_ += t.missing;
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
                    .count("not_taken", missing_)
                    .time("stable", longest_.stable);
    if (config_.at != At::stop) row.bytes("contexts", rank.saved_contexts()).time("save", longest_.save);
    if (config_.at == At::swap) row.time("reset", longest_.reset).time("restore", longest_.restore);
    row.time("resume", longest_.resume).headline({"stable", "the longest of any rank"});
    longest_ = {};
    missing_ = 0;
  });
}

}  // namespace

ScenarioKind checkpoint_scenario() {
  return scenario<Checkpoint, CheckpointConfig>(
      "checkpoint", "the network brought to rest, saved and put back each quantum, with messages under way");
}

}  // namespace tsunagi::scenarios
