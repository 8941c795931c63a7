// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/error_at.hpp"
#include "scenarios/methods.hpp"
#include "scenarios/scenario.hpp"
#include "units/checked.hpp"

namespace tsunagi::scenarios {

namespace {

struct PutConfig {
  int peer = 0;
  std::string source;
  std::string target;
  std::vector<std::string> methods;
  std::vector<Bytes> sizes = {4_KiB};
  std::vector<std::int64_t> counts = {1};
  Bytes block;
  Bytes every;
  int iterations = 5;
};

/// Bytes from the first to behind the last of a put; nothing if they are too many.
std::optional<Bytes> span_of(const PutConfig& c, Bytes size) {
  return c.block == Bytes::zero() ? size : checked_product(c.every, units_of(size, c.block));
}

void describe(PutConfig& c, config::Describer& d) {
  using namespace config;
  d.field("peer", c.peer, "the rank that rank 0 puts to; 0: itself", within(0, 1024));
  d.field("source", c.source, "where rank 0 puts from, as the library names places; none: its host memory");
  d.field("target", c.target, "where it puts to; none: host memory");
  d.field("methods", c.methods, "the library's ways to put, each in turn; none: its default");
  d.field("sizes", c.sizes, "bytes of each put", within(1_B, largest_given));
  d.field("counts", c.counts, "puts that are started together", within(std::int64_t{1}, std::int64_t{65536}));
  d.field("block", c.block, "block-stride: bytes that follow each other; 0: contiguous", at_most(largest_given));
  d.field("every", c.every, "block-stride: from the start of a block to that of the next", at_most(largest_given));
  d.field("iterations", c.iterations, "times, of which the best is told", within(1, 1'000'000));
  for (const Bytes size : c.sizes)
    for (const std::int64_t count : c.counts)
      d.require(checked_product(span_of(c, size), 2 * count).has_value(),
                "\"sizes\", spread as \"block\" and \"every\" say, times \"counts\" is too large");
  d.require(!c.sizes.empty() && !c.counts.empty(), "\"sizes\" or \"counts\" is empty");
  d.require(c.block == Bytes::zero() || c.every >= c.block, "blocks overlap: \"every\" must not be below \"block\"");
  d.require(c.block > Bytes::zero() || c.every == Bytes::zero(), "\"every\" needs a \"block\"");
}

/// Rank 0 starts prepared puts, of which each has a descriptor, and waits until it has seen that all were sent (paper
/// 000, 4.1: a driver's test of its DMA controller). A row a method, count of puts and size: the best time of some
/// iterations and the bandwidth.
class PutTest final : public Scenario {
 public:
  explicit PutTest(PutConfig c) : config_(std::move(c)) {}
  int ranks() const override { return config_.peer + 1; }
  Bytes footprint(int /*ranks*/) const override;
  void fit(comm::World& w) override;
  void declare(report::Recorder& r, const comm::Library& c) const override;
  void program(comm::Rank& rank, report::Recorder& r) override;

 private:
  std::vector<comm::Put> puts(Bytes size, std::int64_t count) const;
  Bytes span(Bytes size) const;
  void one_row(comm::Rank& rank, report::Recorder& r, const std::string& method, Bytes size, std::int64_t count) const;
  PutConfig config_;
  std::vector<std::string> methods_;
};

Bytes PutTest::span(Bytes size) const {
  return span_of(config_, size).value();  // as the reader made sure
}

Bytes PutTest::footprint(int /*ranks*/) const {
  const std::int64_t most = *std::max_element(config_.counts.begin(), config_.counts.end());
  return span(*std::max_element(config_.sizes.begin(), config_.sizes.end())) * most * 2;
}

std::vector<comm::Put> PutTest::puts(Bytes size, std::int64_t count) const {
  std::vector<comm::Put> out;
  const Bytes each = span(size);
  // Sources first, targets behind them: one memory can be both.
  for (std::int64_t i = 0; i < count; ++i)
    out.push_back({config_.peer,
                   {config_.source, each * i},
                   {config_.target, each * (count + i)},
                   size,
                   config_.block,
                   config_.every});
  return out;
}

void PutTest::fit(comm::World& w) {
  comm::Library& c = w.library();
  if (c.facet<comm::Puts>() == nullptr) throw config::error_at("/scenario", "the library has no prepared puts");
  const std::vector<std::string> known = c.facet<comm::Puts>()->methods();
  methods_ = config_.methods.empty() ? std::vector<std::string>{known.front()} : config_.methods;
  for (const std::string& m : methods_) {
    check_method(m, known);
    for (const Bytes size : config_.sizes)
      for (const std::int64_t count : config_.counts) c.facet<comm::Puts>()->check(0, puts(size, count), m);
  }
}

void PutTest::declare(report::Recorder& r, const comm::Library&) const { r.rate("bandwidth", "bytes", "time"); }

void PutTest::program(comm::Rank& rank, report::Recorder& r) {
  if (rank.id() != 0) return;
  for (const std::string& method : methods_)
    for (const std::int64_t count : config_.counts)
      for (const Bytes size : config_.sizes) one_row(rank, r, method, size, count);
}

void PutTest::one_row(comm::Rank& rank, report::Recorder& r, const std::string& method, Bytes size,
                      std::int64_t count) const {
  const int number = rank.prepare(puts(size, count), method);
  Time best = Time::max();
  r.begin_account();
  for (int i = 0; i < config_.iterations; ++i) {
    const Time begin = rank.now();
    rank.start(number);
    rank.finish();
    best = std::min(best, rank.now() - begin);
  }
  rank.forget();
  report::Row& row = r.row();
  if (!config_.methods.empty()) row.text("method", method);
  row.bytes("size", size).count("count", count).bytes("bytes", size * count).time("time", best);
}

}  // namespace

ScenarioKind put_scenario() {
  return scenario<PutTest, PutConfig>("put", "prepared puts started together: time and bandwidth a size and count");
}

}  // namespace tsunagi::scenarios
