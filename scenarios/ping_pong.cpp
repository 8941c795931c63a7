// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/error_at.hpp"
#include "scenarios/between.hpp"
#include "scenarios/bounds.hpp"
#include "scenarios/methods.hpp"
#include "scenarios/scenario.hpp"
#include "units/checked.hpp"
#include "units/parse.hpp"

namespace tsunagi::scenarios {

namespace {

struct PingPongConfig {
  std::vector<std::string> methods;
  std::vector<Bytes> sizes = {8_B};
  int iterations = 100;
  Bytes volume = 16_MiB;
  int warm_up = 2;
  std::string source;
  std::string target;
  Bytes block;
  Bytes every;
  std::vector<std::int64_t> between = {0, 1};
};

void describe(PingPongConfig& c, config::Describer& d) {
  using namespace config;
  d.field("methods", c.methods, "the library's ways to move a message, each in turn; none: its default");
  d.field("sizes", c.sizes, "message sizes, a row each", within(0_B, largest_given));
  d.field("iterations", c.iterations, "round trips that are timed", within(1, 1'000'000));
  d.field("volume", c.volume, "large messages are sent fewer times: about these bytes each way a row, at least twice",
          within(1_B, largest_given));
  d.field("warm_up", c.warm_up, "round trips before that", within(0, 1'000'000));
  d.field("source", c.source, "where each rank sends from, as the library names places; none: its host memory");
  d.field("target", c.target, "where messages arrive at the other rank; none: its host memory");
  d.field("block", c.block, "messages lie in blocks of so many bytes, as parts of a matrix do; 0: in one piece",
          within(0_B, largest_given));
  d.field("every", c.every, "such blocks, from start to start", within(0_B, largest_given));
  describe_between(d, c.between);
  d.require(!c.sizes.empty(), "\"sizes\" is empty");
  d.require(c.every >= c.block, "\"every\" is shorter than a \"block\"");
  if (c.block == Bytes::zero()) return;
  for (const Bytes size : c.sizes) {
    d.require(size.count() % c.block.count() == 0, "\"sizes\" are not whole blocks of " + to_string(c.block));
    const auto extent = checked_product(c.every, size / c.block);
    d.require(extent && *extent <= largest_given, "\"sizes\" in blocks so far apart are too large");
  }
}

/// Two ranks send one message to and fro; one row a size: one-way latency (half a round trip,
/// mean over the iterations) and the bandwidth that follows from it. With `methods`, all sizes by each. Both ranks send
/// from their `source` to the other's `target`.
class PingPong final : public Scenario {
 public:
  explicit PingPong(PingPongConfig c) : config_(std::move(c)) {}
  int ranks() const override { return 2; }
  Bytes footprint(int /*ranks*/) const override;
  void fit(comm::World& w) override;
  void declare(report::Recorder& r, const comm::Library& c) const override;
  void program(comm::Rank& rank, report::Recorder& r) override;

 private:
  /// The library's methods that it uses; {""}: the default.
  std::vector<std::string> methods() const;
  comm::Buffer message(const std::string& method, Bytes size) const;
  comm::Buffer largest(const std::string& method) const;
  void one_row(comm::Rank& rank, report::Recorder& r, const std::string& method, Bytes size) const;
  int iterations(Bytes size) const;
  Between between() const { return Between(config_.between); }
  PingPongConfig config_;
};

Bytes PingPong::footprint(int /*ranks*/) const { return comm::extent(largest({})); }

std::vector<std::string> PingPong::methods() const {
  return config_.methods.empty() ? std::vector<std::string>{""} : config_.methods;
}

comm::Buffer PingPong::message(const std::string& method, Bytes size) const {
  return {Bytes::zero(), size, config_.source, method, config_.target, config_.block, config_.every};
}

comm::Buffer PingPong::largest(const std::string& method) const {
  return message(method, *std::max_element(config_.sizes.begin(), config_.sizes.end()));
}

void PingPong::fit(comm::World& w) {
  comm::Library& c = w.library();
  if (!comm::is_contiguous(largest({})) && !c.takes_shapes())
    throw config::error_at("/scenario/block", "the library takes messages in one piece alone");
  expect_ranks(c, config_.between);
  const Between both = between();
  if (c.direct() && *std::min_element(config_.sizes.begin(), config_.sizes.end()) == Bytes::zero())
    throw config::error_at("/scenario/sizes",
                           "a message that the library sends by itself has at least 1 B: its end is "
                           "known by its last byte (libraries of two-sided messages alone take 0 B)");
  for (const std::string& method : methods()) {
    check_method(method, c.methods());
    for (const int rank : {both.first, both.second}) c.check(rank, both.peer(rank), largest(method));
  }
}

void PingPong::declare(report::Recorder& r, const comm::Library& c) const {
  r.rate("bandwidth", "size", "latency");
  r.to_and_fro();
  for (const std::string& method : methods())
    for (const int from : {between().first, between().second}) declare_bounds(r, c, between(), from, largest(method));
}

int PingPong::iterations(Bytes size) const {
  if (size == Bytes::zero()) return config_.iterations;
  return static_cast<int>(
      std::clamp<std::int64_t>(config_.volume / size, std::min(2, config_.iterations), config_.iterations));
}

void PingPong::program(comm::Rank& rank, report::Recorder& r) {
  if (!between().has(rank.id())) return;
  for (const std::string& method : methods())
    for (const Bytes size : config_.sizes) one_row(rank, r, method, size);
}

void PingPong::one_row(comm::Rank& rank, report::Recorder& r, const std::string& method, Bytes size) const {
  const int peer = between().peer(rank.id());
  const bool begins = rank.id() == between().first;
  const int timed = iterations(size);
  const comm::Buffer buffer = message(method, size);
  Time start;
  for (int i = -config_.warm_up; i < timed; ++i) {
    if (i == 0) start = rank.now();
    if (i == 0 && begins) r.begin_account();
    if (begins) {
      rank.send(peer, buffer);
      rank.recv(peer, buffer);
    } else {
      rank.recv(peer, buffer);
      rank.send(peer, buffer);
    }
  }
  if (!begins) return;
  const Time one_way = Time::from_fs((rank.now() - start) / Time::from_fs(2 * timed));
  report::Row& row = r.row();
  if (!method.empty()) row.text("method", method);
  row.bytes("size", size).count("iterations", timed).time("latency", one_way);
}

}  // namespace

ScenarioKind ping_pong_scenario() {
  return scenario<PingPong, PingPongConfig>("ping_pong", "one message to and fro: latency and bandwidth a size");
}

}  // namespace tsunagi::scenarios
