// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "scenarios/between.hpp"
#include "scenarios/bounds.hpp"
#include "scenarios/scenario.hpp"
#include "units/checked.hpp"

namespace tsunagi::scenarios {

namespace {

struct StreamConfig {
  std::vector<Bytes> sizes = {1_MiB};
  int messages = 4;
  std::vector<std::int64_t> between = {0, 1};
};

void describe(StreamConfig& c, config::Describer& d) {
  using namespace config;
  d.field("sizes", c.sizes, "message sizes, a row each", within(1_B, largest_given));
  d.field("messages", c.messages, "messages of one row; the first fills the pipe and is not counted",
          within(2, 1'000'000));
  describe_between(d, c.between);
  d.require(!c.sizes.empty(), "\"sizes\" is empty");
  for (const Bytes size : c.sizes)
    d.require(checked_product(size, c.messages).has_value(), "\"sizes\" times \"messages\" is too large");
}

/// Rank 0 sends messages back to back, rank 1 receives them; one row a size: the time between the
/// arrival of the first message and of the last, and the bytes of all but the first.
class Stream final : public Scenario {
 public:
  explicit Stream(StreamConfig c) : config_(std::move(c)) {}
  int ranks() const override { return 2; }
  Bytes footprint(int /*ranks*/) const override;
  void fit(comm::World& w) override;
  void declare(report::Recorder& r, const comm::Library& c) const override;
  void program(comm::Rank& rank, report::Recorder& r) override;

 private:
  Between between() const { return Between(config_.between); }
  StreamConfig config_;
};

Bytes Stream::footprint(int /*ranks*/) const {
  return *std::max_element(config_.sizes.begin(), config_.sizes.end()) * config_.messages;
}

void Stream::fit(comm::World& w) {
  comm::Library& c = w.library();
  expect_ranks(c, config_.between);
  expect_received(c, config_.messages);
  c.check(between().first, between().second, {{}, footprint(c.ranks()), {}, {}});
}

void Stream::declare(report::Recorder& r, const comm::Library& c) const {
  r.rate("bandwidth", "bytes", "time");
  const Bytes all = footprint(c.ranks());
  // The time begins with the first message, behind which any number of others may be there.
  declare_bounds(r, c, between(), between().first, {{}, all, {}, {}}, c.holds_back() ? all : 0_B);
}

void Stream::program(comm::Rank& rank, report::Recorder& r) {
  if (!between().has(rank.id())) return;
  const bool sends = rank.id() == between().first;
  const int peer = between().peer(rank.id());
  for (const Bytes size : config_.sizes) {
    Time first;
    for (int i = 0; i < config_.messages; ++i) {
      const comm::Buffer buffer{size * i, size, {}, {}};
      if (sends) {
        rank.send(peer, buffer);
      } else {
        rank.recv(peer, buffer);
        if (i == 0) first = rank.now();
      }
    }
    if (sends) continue;
    r.row()
        .bytes("size", size)
        .count("messages", config_.messages - 1)
        .bytes("bytes", size * (config_.messages - 1))
        .time("time", rank.now() - first);
  }
}

}  // namespace

ScenarioKind stream_scenario() {
  return scenario<Stream, StreamConfig>("stream", "messages back to back one way: sustained bandwidth a size");
}

}  // namespace tsunagi::scenarios
