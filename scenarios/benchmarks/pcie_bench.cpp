// SPDX-License-Identifier: Apache-2.0
#include "scenarios/benchmarks/pcie_bench.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "config/error_at.hpp"
#include "flow/ring.hpp"
#include "scenarios/methods.hpp"
#include "stats/samples.hpp"
#include "units/checked.hpp"
#include "units/parse.hpp"

namespace tsunagi::scenarios {

namespace {

using Kind = comm::DmaOperation::Kind;

constexpr Bytes page = 4_KiB;

template <class E>
constexpr std::int64_t number(E e) {
  return static_cast<std::int64_t>(e);
}

void describe_choices(PcieBenchConfig& c, config::Describer& d) {
  d.choice("benchmark", c.benchmark,
           {{"lat_rd", number(PcieBenchmark::lat_rd), "latency of a read"},
            {"lat_wrrd", number(PcieBenchmark::lat_wrrd), "of a write and then a read of the same bytes"},
            {"bw_rd", number(PcieBenchmark::bw_rd), "bandwidth of reads"},
            {"bw_wr", number(PcieBenchmark::bw_wr), "of writes"},
            {"bw_rdwr", number(PcieBenchmark::bw_rdwr), "of both in turn, bytes of one direction"}},
           "what is measured");
  d.choice("pattern", c.pattern,
           {{"sequential", number(UnitOrder::sequential), "from the first one on, round and round"},
            {"random", number(UnitOrder::random), "drawn, all alike"}},
           "which unit of the window is next: size and offset, rounded up to whole lines of 64 B");
  d.choice("cache", c.cache,
           {{"cold", number(CacheState::cold), "nothing lies in the host's caches"},
            {"host_warm", number(CacheState::host_warm), "the host has written the window"},
            {"device_warm", number(CacheState::device_warm), "the card has written the window"}},
           "state of the window before it is measured");
  d.choice("node", c.node,
           {{"local", number(comm::DmaMemory::local), "of the card's socket"},
            {"remote", number(comm::DmaMemory::remote), "of another socket"}},
           "which memory");
}

/// A transfer and its offset fit a page, and each window holds its unit.
void check_sizes(const PcieBenchConfig& c, config::Describer& d) {
  for (const Bytes size : c.sizes) {
    if (size <= Bytes::zero()) continue;  // told already
    if (size + c.offset > page)
      d.require(false, fmt::format("a transfer of {} at offset {} takes more than a page of {}", to_string(size),
                                   to_string(c.offset), to_string(page)));
    for (const Bytes window : c.windows)
      if (const TransferUnits u{window, size, c.offset}; u.count() == 0)
        d.require(false, fmt::format("a window of {} does not hold one unit of {}, which a transfer of {} at offset {} "
                                     "takes",
                                     to_string(window), to_string(u.unit()), to_string(size), to_string(c.offset)));
  }
}

}  // namespace

void describe(PcieBenchConfig& c, config::Describer& d) {
  using namespace config;
  describe_choices(c, d);
  d.field("sizes", c.sizes, "bytes of a transfer, a row each", within(1_B, page));
  d.field("windows", c.windows, "bytes of host memory that transfers go through, a row each",
          within(TransferUnits::line, largest_given));
  d.field("offset", c.offset, "of a transfer in its first cache line", within(0_B, TransferUnits::line - 1_B));
  d.field("method", c.method, "by which of the library's ways; none: its default");
  d.field("transactions", c.transactions, "that are measured a row", within(1, 10'000'000));
  d.field("warm_up", c.warm_up, "before those, and before the caches are put into their state", within(0, 10'000'000));
  d.field("seed", c.seed, "seed of this scenario's random streams", at_least(std::int64_t{0}));
  d.require(!c.sizes.empty(), "\"sizes\" is empty");
  d.require(!c.windows.empty(), "\"windows\" is empty");
  d.require(c.benchmark != PcieBenchmark::bw_rdwr || c.transactions % 2 == 0,
            "half of the \"transactions\" of bw_rdwr are writes: an even number");
  check_sizes(c, d);
}

void PcieBench::fit(comm::World& w) {
  dma_ = w.library().facet<comm::Dma>();
  if (dma_ == nullptr)
    throw config::error_at("/library",
                           "no card of the library does DMA by itself (an exerciser does, whose \"engine\" has "
                           "\"workers\")");
  const std::vector<std::string> known = dma_->methods();
  check_method(config_.method, known, "/scenario/method");
  method_ = config_.method.empty()
                ? 0
                : static_cast<int>(std::find(known.begin(), known.end(), config_.method) - known.begin());
  const Bytes size = *std::max_element(config_.sizes.begin(), config_.sizes.end());
  if (size > dma_->largest(method_))
    throw config::error_at("/scenario",
                           fmt::format("a {} moves {} at most, not {}", known[static_cast<std::size_t>(method_)],
                                       to_string(dma_->largest(method_)), to_string(size)));
  const Bytes window = *std::max_element(config_.windows.begin(), config_.windows.end());
  if (window > dma_->buffer(config_.node))
    throw config::error_at("/scenario", fmt::format("a window of {} is more than the memory has: {}", to_string(window),
                                                    to_string(dma_->buffer(config_.node))));
}

void PcieBench::declare(report::Recorder& r, const comm::Library&) const {
  if (is_latency()) {
    r.least("min", "least", "cycles of the card, its link's bytes and flights");
    return;
  }
  r.rate("bandwidth", "bytes", "time");
  r.rate("ceiling", "bytes", "least");
  r.least("time", "least", "link payload");
}

comm::DmaOperation PcieBench::operation(Kind kind, Bytes at, Bytes size) const {
  return {kind, config_.node, method_, at, size};
}

comm::DmaOperation PcieBench::transaction(std::int64_t i, Bytes at, Bytes size) const {
  const bool writes =
      config_.benchmark == PcieBenchmark::bw_wr || (config_.benchmark == PcieBenchmark::bw_rdwr && i % 2 == 0);
  return operation(writes ? Kind::write : Kind::read, at, size);
}

void PcieBench::prepare(comm::Dma& dma, Bytes window) const {
  dma.make_cold();
  if (config_.cache == CacheState::cold) return;
  const auto by = config_.cache == CacheState::host_warm ? comm::WarmedBy::host : comm::WarmedBy::device;
  dma.warm(config_.node, Bytes::zero(), window, by);
}

std::vector<Bytes> PcieBench::places(const TransferUnits& units, int n, const char* part) const {
  stats::RandomStream random(
      static_cast<std::uint64_t>(config_.seed),
      fmt::format("pcie_bench, {}, window {}, size {}", part, units.window.count(), units.size.count()));
  return units.places(n, config_.pattern, random);
}

void PcieBench::program(comm::Rank& rank, report::Recorder& r) {
  if (rank.id() != 0) return;
  for (const Bytes window : config_.windows)
    for (const Bytes size : config_.sizes) {
      const TransferUnits units{window, size, config_.offset};
      if (is_latency())
        latency_row(rank, r, units);
      else
        bandwidth_row(rank, r, units);
    }
}

void PcieBench::alone(comm::Rank& rank, Bytes at, Bytes size) const {
  if (config_.benchmark == PcieBenchmark::lat_wrrd) rank.transfer(operation(Kind::write, at, size));
  rank.transfer(operation(Kind::read, at, size));
}

void PcieBench::latency_row(comm::Rank& rank, report::Recorder& r, const TransferUnits& units) {
  for (const Bytes at : places(units, config_.warm_up, "warm-up")) alone(rank, at, units.size);
  prepare(*dma_, units.window);
  r.begin_account();
  std::vector<Time> samples;
  for (const Bytes at : places(units, config_.transactions, "measured")) {
    const Time begin = rank.now();
    alone(rank, at, units.size);
    samples.push_back(rank.now() - begin);
  }
  std::sort(samples.begin(), samples.end());
  Time least = dma_->least(operation(Kind::read, {}, units.size));
  if (config_.benchmark == PcieBenchmark::lat_wrrd) least += dma_->least(operation(Kind::write, {}, units.size));
  r.row()
      .bytes("window", units.window)
      .bytes("size", units.size)
      .count("transactions", config_.transactions)
      .time("min", samples.front())
      .time("median", stats::quantile(samples, 500))
      .time("mean", stats::mean(samples))
      .time("p95", stats::quantile(samples, 950))
      .time("p99", stats::quantile(samples, 990))
      .time("least", least)
      .headline({"median", "the median of the latencies"});
}

void PcieBench::many(comm::Rank& rank, const std::vector<Bytes>& places, Bytes size) const {
  flow::Ring<comm::Request> under_way;
  for (std::size_t i = 0; i < places.size(); ++i) {
    under_way.push_back(rank.start(transaction(static_cast<std::int64_t>(i), places[i], size)));
    while (!under_way.empty() && rank.test(under_way.front())) under_way.pop_front();
  }
  for (; !under_way.empty(); under_way.pop_front()) rank.wait(under_way.front());
}

void PcieBench::bandwidth_row(comm::Rank& rank, report::Recorder& r, const TransferUnits& units) {
  many(rank, places(units, config_.warm_up, "warm-up"), units.size);
  prepare(*dma_, units.window);
  r.begin_account();
  const Time begin = rank.now();
  many(rank, places(units, config_.transactions, "measured"), units.size);
  const Time time = rank.now() - begin;
  const bool both = config_.benchmark == PcieBenchmark::bw_rdwr;
  comm::DmaLoad all;
  for (const int i : {0, 1}) {
    const comm::DmaLoad one = dma_->load(transaction(i, {}, units.size));
    all.out += one.out;
    all.back += one.back;
  }
  // Of two transactions, which are one of each kind or twice the same.
  const Bytes most = std::max(all.out, all.back) * config_.transactions;
  const Time least = dma_->link_rate().time(Bytes(most.count() / 2));
  r.row()
      .bytes("window", units.window)
      .bytes("size", units.size)
      .count("transactions", config_.transactions)
      .bytes("bytes", units.size * (both ? config_.transactions / 2 : config_.transactions))
      .time("time", time)
      .time("least", std::max(least - Time::from_fs(1), Time::from_fs(1)))  // rounded down
      .headline({"bandwidth", "the bytes of one direction over the time"});
}

ScenarioKind pcie_bench_scenario() {
  return scenario<PcieBench, PcieBenchConfig>("pcie_bench",
                                              "DMA of a card on host memory: latency or bandwidth a window and size");
}

}  // namespace tsunagi::scenarios
