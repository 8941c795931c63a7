// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "config/error_at.hpp"
#include "scenarios/bounds.hpp"
#include "scenarios/scenario.hpp"
#include "units/checked.hpp"

namespace tsunagi::scenarios {

namespace {

struct ReceiveBuffersConfig {
  int messages = 0;
  Bytes size = 8_B;
  Time pause;
};

void describe(ReceiveBuffersConfig& c, config::Describer& d) {
  using namespace config;
  d.field("messages", c.messages, "that each other rank sends to rank 0; none: what is kept is counted, nothing moves",
          within(0, 1'000'000));
  d.field("size", c.size, "bytes of a message", within(1_B, largest_given));
  d.field("pause", c.pause, "that rank 0 computes before it takes the first", at_most(1_s));
}

/// What a node keeps for messages that may come, and what happens when more come than it has room for: all others send
/// to rank 0, which looks late. A row: ranks, memory of rank 0's receive buffers, and, if anything moves, how long it
/// takes until all has come.
class ReceiveBuffers final : public Scenario {
 public:
  explicit ReceiveBuffers(ReceiveBuffersConfig c) : config_(c) {}
  int ranks() const override { return 2; }
  Bytes footprint(int /*ranks*/) const override { return Bytes::zero(); }
  void fit(comm::World& w) override;
  void declare(report::Recorder& /*r*/, const comm::Library& /*c*/) const override {}
  void program(comm::Rank& rank, report::Recorder& r) override;

 private:
  ReceiveBuffersConfig config_;
};

void ReceiveBuffers::fit(comm::World& w) {
  const auto* buffers = w.library().facet<comm::BufferedMessages>();
  if (buffers == nullptr)
    throw config::error_at("/library", "the library has no messages in buffers of its own (pm has)");
  if (config_.size > buffers->longest())
    throw config::error_at("/scenario/size", "messages of at most " + to_string(buffers->longest()) +
                                                 ", the library's \"longest\", not " + to_string(config_.size));
}

void ReceiveBuffers::program(comm::Rank& rank, report::Recorder& r) {
  auto pm = rank.buffered();
  const int senders = rank.size() - 1;
  if (rank.id() != 0) {
    for (int i = 0; i < config_.messages; ++i) pm.send(0, config_.size);
    return;
  }
  const Time begin = rank.now();
  if (config_.messages > 0 && config_.pause > Time::zero()) rank.compute(config_.pause);
  for (std::int64_t i = std::int64_t{senders} * config_.messages; i > 0; --i) pm.release(pm.receive());
  r.row()
      .count("ranks", rank.size())
      .bytes("receive_memory", pm.receive_memory())
      .count("messages", std::int64_t{senders} * config_.messages)
      .time("time", rank.now() - begin);
}

}  // namespace

ScenarioKind receive_buffers_scenario() {
  return scenario<ReceiveBuffers, ReceiveBuffersConfig>(
      "receive_buffers", "memory that a node keeps for messages to come, and what happens when it does not suffice");
}

}  // namespace tsunagi::scenarios
