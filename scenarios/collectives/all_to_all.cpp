// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/error_at.hpp"
#include "scenarios/collectives/measured_collective.hpp"
#include "scenarios/methods.hpp"
#include "units/checked.hpp"

namespace tsunagi::scenarios {

namespace {

struct AllToAllConfig {
  enum class By : std::uint8_t { puts, messages };
  By by = By::puts;
  std::string source;
  std::string target;
  std::string method;
  // by messages, and by both
  CollectiveConfig how = [] {
    CollectiveConfig c;
    c.sizes = {4_KiB};
    c.warm_up = 0;
    return c;
  }();
};

using By = AllToAllConfig::By;

void describe(AllToAllConfig& c, config::Describer& d) {
  using namespace config;
  d.choice("by", c.by,
           {{"puts", static_cast<std::int64_t>(By::puts), "the library's prepared puts"},
            {"messages", static_cast<std::int64_t>(By::messages), "a collective call, made of two-sided messages"}},
           "how blocks travel");
  d.field("source", c.source, "puts: where ranks put from, as the library names places; none: host memory");
  d.field("target", c.target, "puts: where they put to; none: host memory");
  d.field("method", c.method, "puts: the library's way to put; none: its default");
  describe_sizes(c.how, d, "bytes of each block, a row each");
  d.choice("order", c.how.order, comm::partner_orders(),
           "messages: the order of partners, of algorithms that let it be chosen");
  describe_iterations(c.how, d);
  d.require(c.by == By::puts || (c.source.empty() && c.target.empty() && c.method.empty()),
            "\"source\", \"target\" and \"method\" are of puts alone");
  d.require(c.by == By::messages || (c.how.algorithms.empty() && c.how.ranks == CollectiveConfig().ranks),
            "\"algorithms\" and \"ranks\" are of messages alone: \"by\": \"messages\"");
  d.require(c.by == By::messages || comm::is_host(c.how.memory),
            "\"memory\" is of messages alone; puts have \"source\" and \"target\"");
  d.require(c.by == By::messages || c.how.order == comm::PartnerOrder::own, "\"order\" is of messages alone");
  d.require(c.by == By::messages || !c.how.back_to_back, "\"back_to_back\" is of messages alone: \"by\": \"messages\"");
}

/// Every rank puts a block to every other rank, at the same time: the next rank first, then the one after it, and so
/// on. A row a size: the mean time from the common start until every rank has received and sent all, the bytes that a
/// rank sends, and the bandwidth of a rank.
class AllToAllPuts final : public Scenario {
 public:
  explicit AllToAllPuts(AllToAllConfig c) : config_(std::move(c)) {}
  int ranks() const override { return 2; }
  Bytes footprint(int /*ranks*/) const override;
  void fit(comm::World& w) override;
  void declare(report::Recorder& r, const comm::Library& c) const override;
  void program(comm::Rank& rank, report::Recorder& r) override;

 private:
  std::vector<comm::Put> puts(int rank, Bytes size) const;
  AllToAllConfig config_;
  std::string method_;
  int ranks_ = 0;
  comm::StartLine line_;
};

// Enough for any number of ranks that puts can address; `fit` asks the library about the places that are used.
Bytes AllToAllPuts::footprint(int /*ranks*/) const {
  return *std::max_element(config_.how.sizes.begin(), config_.how.sizes.end());
}

std::vector<comm::Put> AllToAllPuts::puts(int rank, Bytes size) const {
  std::vector<comm::Put> out;
  for (int i = 1; i < ranks_; ++i) {
    const int peer = (rank + i) % ranks_;
    // Blocks to send lie in the order of ranks, behind them those received.
    out.push_back({peer, {config_.source, size * peer}, {config_.target, size * (ranks_ + rank)}, size, {}, {}, true});
  }
  return out;
}

void AllToAllPuts::fit(comm::World& w) {
  comm::Library& c = w.library();
  if (c.facet<comm::Puts>() == nullptr)
    throw config::error_at("/scenario", "the library has no prepared puts; it may do with \"by\": \"messages\"");
  const std::vector<std::string> known = c.facet<comm::Puts>()->methods();
  method_ = config_.method.empty() ? known.front() : config_.method;
  check_method(method_, known);
  ranks_ = c.ranks();
  for (const Bytes size : config_.how.sizes)
    for (int rank = 0; rank < ranks_; ++rank) c.facet<comm::Puts>()->check(rank, puts(rank, size), method_);
}

void AllToAllPuts::declare(report::Recorder& r, const comm::Library&) const { r.rate("bandwidth", "bytes", "time"); }

void AllToAllPuts::program(comm::Rank& rank, report::Recorder& r) {
  const auto wait_for_all = [&] { rank.meet(line_, [] {}); };
  for (const Bytes size : config_.how.sizes) {
    const int number = rank.prepare(puts(rank.id(), size), method_);
    wait_for_all();
    Time total;
    for (int i = -config_.how.warm_up; i < config_.how.iterations; ++i) {
      const Time begin = rank.now();
      if (i == 0 && rank.id() == 0) r.begin_account();
      rank.start(number);
      for (int k = 1; k < ranks_; ++k) rank.await((rank.id() + ranks_ - k) % ranks_, {{}, size, {}, method_});
      rank.finish();
      wait_for_all();
      if (i >= 0) total += rank.now() - begin;
    }
    rank.forget();
    if (rank.id() != 0) continue;
    r.row()
        .count("ranks", ranks_)
        .bytes("size", size)
        .bytes("bytes", size * (ranks_ - 1))
        .time("time", Time::from_fs(total / Time::from_fs(config_.how.iterations)));
  }
}

std::unique_ptr<Scenario> make_all_to_all(const config::AnyConfig& c) {
  const auto& all = c.as<AllToAllConfig>();
  if (all.by == By::puts) return std::make_unique<AllToAllPuts>(all);
  return std::make_unique<MeasuredCollective>(comm::Collective::all_to_all, all.how);
}

}  // namespace

ScenarioKind all_to_all_scenario() {
  return {config::kind<AllToAllConfig>("all_to_all", "every rank puts a block to every other one: time a size"),
          make_all_to_all};
}

}  // namespace tsunagi::scenarios
