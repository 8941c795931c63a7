// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/error_at.hpp"
#include "scenarios/between.hpp"
#include "scenarios/scenario.hpp"
#include "units/checked.hpp"

namespace tsunagi::scenarios {

namespace {

struct GetConfig {
  std::vector<Bytes> sizes = {8_B};
  std::string source;
  std::string target;
  int iterations = 3;
  std::vector<std::int64_t> between = {0, 1};
};

void describe(GetConfig& c, config::Describer& d) {
  using namespace config;
  d.field("sizes", c.sizes, "bytes to fetch, a row each", within(1_B, largest_given));
  d.field("source", c.source,
          "where the data lie at the second rank, as the library names places; none: its host memory");
  d.field("target", c.target, "where they go to at the first rank; none: its host memory");
  d.field("iterations", c.iterations, "fetches a row", within(1, 1'000'000));
  describe_between(d, c.between);
  d.require(!c.sizes.empty(), "\"sizes\" is empty");
}

/// A rank fetches from another one, whose program does nothing. A row a size: the mean time until the data are there.
class Get final : public Scenario {
 public:
  explicit Get(GetConfig c) : config_(std::move(c)) {}
  int ranks() const override { return 2; }
  Bytes footprint(int /*ranks*/) const override;
  void fit(comm::World& w) override;
  void declare(report::Recorder& r, const comm::Library&) const override { r.rate("bandwidth", "size", "time"); }
  void program(comm::Rank& rank, report::Recorder& r) override;

 private:
  Between between() const { return Between(config_.between); }
  GetConfig config_;
};

Bytes Get::footprint(int /*ranks*/) const { return *std::max_element(config_.sizes.begin(), config_.sizes.end()); }

void Get::fit(comm::World& w) {
  comm::Library& c = w.library();
  const auto* gets = c.facet<comm::Gets>();
  if (gets == nullptr)
    throw config::error_at("/library", "the library reads nothing from other ranks (tca does with \"remote_reads\")");
  expect_ranks(c, config_.between);
  gets->check_get(between().first, between().second,
                  {Bytes::zero(), footprint(c.ranks()), config_.source, {}, config_.target});
}

void Get::program(comm::Rank& rank, report::Recorder& r) {
  if (rank.id() != between().first) return;
  for (const Bytes size : config_.sizes) {
    const Time begin = rank.now();
    r.begin_account();
    for (int i = 0; i < config_.iterations; ++i)
      rank.get(between().second, {Bytes::zero(), size, config_.source, {}, config_.target});
    r.row().bytes("size", size).time("time", Time::from_fs((rank.now() - begin) / Time::from_fs(config_.iterations)));
  }
}

}  // namespace

ScenarioKind get_scenario() {
  return scenario<Get, GetConfig>("get", "one rank fetches from another: latency and bandwidth a size");
}

}  // namespace tsunagi::scenarios
