// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include "scenarios/methods.hpp"
#include "scenarios/scenario.hpp"
#include "units/checked.hpp"

namespace tsunagi::scenarios {

namespace {

struct PairsConfig {
  Bytes size = 8_B;
  std::string method;
  int iterations = 3;
  int warm_up = 1;
  bool all = true;
};

void describe(PairsConfig& c, config::Describer& d) {
  using namespace config;
  d.field("size", c.size, "bytes of the message", within(1_B, largest_given));
  d.field("method", c.method, "the library's way to move it; none: its default");
  d.field("iterations", c.iterations, "round trips that are timed", within(1, 1'000'000));
  d.field("warm_up", c.warm_up, "round trips before that", within(0, 1'000'000));
  d.field("all", c.all, "all pairs; off: rank 0 with each of the others");
}

/// One pair of ranks after the other sends a message to and fro: how latency grows with distance. A row a pair: cables
/// that the messages crossed, and the one-way latency (half a round trip).
class Pairs final : public Scenario {
 public:
  explicit Pairs(PairsConfig c) : config_(std::move(c)) {}
  int ranks() const override { return 2; }
  Bytes footprint(int /*ranks*/) const override { return config_.size; }
  void fit(comm::World& w) override;
  void declare(report::Recorder& r, const comm::Library& c) const override;
  void program(comm::Rank& rank, report::Recorder& r) override;

 private:
  comm::Buffer buffer() const { return {Bytes::zero(), config_.size, {}, config_.method}; }
  void one_pair(comm::Rank& rank, report::Recorder& r, int a, int b) const;
  PairsConfig config_;
  comm::StartLine line_;
};

void Pairs::fit(comm::World& w) {
  comm::Library& c = w.library();
  check_method(config_.method, c.methods());
  for (int a = 0; a < (config_.all ? c.ranks() : 1); ++a)
    for (int b = a + 1; b < c.ranks(); ++b) {
      c.check(a, b, buffer());
      c.check(b, a, buffer());
    }
}

void Pairs::declare(report::Recorder&, const comm::Library&) const {}

void Pairs::program(comm::Rank& rank, report::Recorder& r) {
  for (int a = 0; a < (config_.all ? rank.size() : 1); ++a)
    for (int b = a + 1; b < rank.size(); ++b) {
      if (rank.id() == a || rank.id() == b) one_pair(rank, r, a, b);
      rank.meet(line_, [] {});
    }
}

void Pairs::one_pair(comm::Rank& rank, report::Recorder& r, int a, int b) const {
  const comm::Buffer buffer = this->buffer();
  const bool first = rank.id() == a;
  const int peer = first ? b : a;
  Time start;
  for (int i = -config_.warm_up; i < config_.iterations; ++i) {
    if (i == 0) start = rank.now();
    if (i == 0 && first) r.begin_account();
    if (first) rank.send(peer, buffer);
    rank.recv(peer, buffer);
    if (!first) rank.send(peer, buffer);
  }
  if (!first) return;
  const Time one_way = Time::from_fs((rank.now() - start) / Time::from_fs(2 * config_.iterations));
  report::Row& row = r.row();
  row.count("from", a).count("to", b);
  if (rank.hops() >= 0) row.count("hops", rank.hops());
  row.bytes("size", config_.size).time("latency", one_way);
}

}  // namespace

ScenarioKind pairs_scenario() {
  return scenario<Pairs, PairsConfig>("pairs", "one message to and fro between every pair: latency and hops");
}

}  // namespace tsunagi::scenarios
