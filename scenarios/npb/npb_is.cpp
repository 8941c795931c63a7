// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/collectives/collective_data.hpp"
#include "scenarios/npb/is_walk.hpp"
#include "scenarios/npb/npb.hpp"
#include "scenarios/two_sided.hpp"
#include "stats/random.hpp"

namespace tsunagi::scenarios {

namespace {

using comm::Collective;
using comm::CollectiveCall;

struct NpbIsConfig {
  enum class Size : std::uint8_t { s, a, b };
  Size size = Size::s;
  NpbConfig run = {0, NpbConfig().iterations, 5_ns};
  comm::PartnerOrder order = comm::PartnerOrder::own;
  Time skew;
  std::int64_t seed = 1;
};

IsClass class_of(NpbIsConfig::Size s) {
  switch (s) {
    case NpbIsConfig::Size::a:
      return {23, 19, 10};
    case NpbIsConfig::Size::b:
      return {25, 21, 10};
    case NpbIsConfig::Size::s:
      break;
  }
  return {16, 11, 9};
}

constexpr const char* is_class_names[] = {"S", "A", "B"};
constexpr int is_iterations = 10;
constexpr int verified = 5;  // keys whose ranks are added to the counts of buckets

// References to memory in the loops of rank() in is.c, as its source has them: what stays in a register is not read
// again.
constexpr std::int64_t references_a_key_sorted = 3 + 4;  // its bucket counted; then copied to where the bucket goes on
constexpr std::int64_t references_a_key_ranked = 3;      // itself, its count
constexpr std::int64_t references_a_value_cleared = 1;   // its count
constexpr std::int64_t references_a_value_added = 2;     // its count, to that of the value before it
constexpr std::int64_t references_a_bucket = 4 + 2 + 2;  // four arrays cleared, its place, whose it is

void describe(NpbIsConfig& c, config::Describer& d) {
  using namespace config;
  d.choice("class", c.size,
           {{"S", static_cast<std::int64_t>(NpbIsConfig::Size::s), "2^16 keys below 2^11"},
            {"A", static_cast<std::int64_t>(NpbIsConfig::Size::a), "2^23 keys below 2^19"},
            {"B", static_cast<std::int64_t>(NpbIsConfig::Size::b), "2^25 keys below 2^21"}},
           "of the benchmark");
  describe_npb(
      d, c.run,
      "time of a reference on one rank, but for what waits for memory, to be fitted to a measurement: seven a key that "
      "is sorted, three a key that is ranked, three a value");
  d.choice("order", c.order, comm::partner_orders(),
           "in which a rank exchanges keys with the others, by an algorithm that lets it be chosen");
  d.field("skew", c.skew, "ranks begin the timed part up to so much late, evenly drawn", at_most(1_s));
  d.field("seed", c.seed, "of what is drawn", at_least(std::int64_t{0}));
}

/// NPB IS, the version for MPI: keys are sorted into buckets, each rank gets those of a range of values and counts how
/// many there are of each value. An iteration is an allreduce of the buckets' sizes, an all-to-all of one integer (how
/// many keys will come) and one of the keys themselves, with the benchmark's own keys (IsKeys), so that messages and
/// work are as uneven as they are there. The first iteration is not timed, as in the benchmark. A rank that owns rare
/// keys, as the first and the last do, owns a wide range of values, all of whose counts it clears and adds up, and
/// which its core's cache does not hold while it counts. One row.
class NpbIs final : public Scenario {
 public:
  explicit NpbIs(NpbIsConfig c) : config_(c), class_(class_of(c.size)) {}
  int ranks() const override { return 1; }
  void place(const comm::World& w) override;
  Bytes footprint(int ranks) const override;
  Bytes scratch(int /*ranks*/) const override { return scratch_; }
  void fit(comm::World& w) override;
  void declare(report::Recorder&, const comm::Library&) const override {}
  void program(comm::Rank& rank, report::Recorder& r) override;

 private:
  enum Part : std::size_t { compute, reduction, counts, exchange, parts };
  /// The calls of an iteration as a rank makes them.
  struct Calls {
    CollectiveCall reduction;
    CollectiveCall counts;
    CollectiveCall exchange;
  };
  Calls calls(int rank) const;
  void call(comm::Rank& rank, const CollectiveCall& c, const comm::Choice& how = {}) const;
  void iteration(comm::Rank& rank, const Calls& c, NpbTimes& t) const;
  void expect_keys(const comm::Rank& rank, const CollectiveCall& c) const;
  Time ranking(int rank) const;
  comm::Choice how() const {
    comm::Choice c;
    c.order = config_.order;
    return c;
  }
  Time references(std::int64_t n) const { return config_.run.compute * n; }

  NpbIsConfig config_;
  IsClass class_;
  std::optional<IsKeys> keys_;
  std::vector<IsRanking> memory_;  // by rank
  const comm::World* world_ = nullptr;
  int factor_ = 1;
  Bytes scratch_;
  NpbTimes slowest_;
  comm::StartLine line_;
};

void NpbIs::place(const comm::World& w) {
  const int n = npb_ranks(w, config_.run.ranks, class_.buckets(), "buckets");
  factor_ = npb_factor(w, config_.run.iterations, is_iterations,
                       config_.skew > Time::zero() ? "ranks begin at random times (\"skew\")" : "");
  world_ = &w;
  keys_.emplace(class_, n);
}

/// The counts of keys to come lie last in memory.
Bytes NpbIs::footprint(int /*ranks*/) const {
  Bytes most;
  for (int rank = 0; rank < keys_->ranks(); ++rank) {
    const Calls c = calls(rank);
    most = std::max(most, c.counts.out.offset + c.counts.out.size);
  }
  return most;
}

void NpbIs::fit(comm::World& w) {
  expect_messages(w, config_.run.ranks);
  const int n = keys_->ranks();
  const Calls c = calls(0);
  for (const CollectiveCall& each : {c.reduction, c.counts})
    scratch_ = std::max(scratch_, npb_scratch(w, n, each, {}, "/scenario"));
  scratch_ = std::max(scratch_, npb_scratch(w, n, c.exchange, how(), "/scenario/order"));
  memory_ = follow_ranking(*keys_, [&w](int rank) { return w.library().processor().walk(rank); });
}

NpbIs::Calls NpbIs::calls(int rank) const {
  const int n = keys_->ranks();
  NpbArea area;
  Calls c;
  c.exchange.kind = Collective::all_to_all;
  for (int peer = 0; peer < n; ++peer) {
    c.exchange.sizes.push_back(is_integer * keys_->sent(rank, peer));
    c.exchange.received.push_back(is_integer * keys_->sent(peer, rank));
  }
  c.exchange.in = area.take(is_integer * keys_->own());
  c.exchange.out = area.take(is_integer * keys_->received(rank));
  c.reduction.kind = Collective::allreduce;
  c.reduction.element = is_integer;
  c.reduction.in = area.take(is_integer * (class_.buckets() + verified));
  c.reduction.out = area.take(c.reduction.in.size);
  c.counts.kind = Collective::all_to_all;
  c.counts.in = area.take(is_integer * n);
  c.counts.out = area.take(is_integer * n);
  return c;
}

void NpbIs::program(comm::Rank& rank, report::Recorder& r) {
  const int n = keys_->ranks();
  if (rank.id() >= n) return;
  const Calls c = calls(rank.id());
  const int iterations = is_iterations / factor_;
  NpbTimes mine;
  for (int i = 0; i <= iterations; ++i) {
    if (rank.id() == 0) r.iteration(i, iterations + 1);
    if (i == 1) {
      if (config_.skew > Time::zero()) {
        stats::RandomStream late(static_cast<std::uint64_t>(config_.seed), "skew of rank " + std::to_string(rank.id()));
        rank.wait_until(rank.now() + Time::from_fs(late.below(config_.skew.fs() + 1)));
      }
      if (rank.id() == 0) r.begin_account();
      mine.total = rank.now();
    }
    if (i <= 1) mine.parts.assign(parts, Time::zero());
    rank.first(n).together("iteration", static_cast<std::uint64_t>(i), c.exchange.in.size,
                           [&] { iteration(rank, c, mine); });
  }
  mine.total = rank.now() - mine.total;
  mine.rank = rank.id();
  slowest_.keep_slower(mine);
  rank.meet(line_, n, [&] {
    expect_alike(*world_, factor_);
    report::Row& row = r.row().text("class", is_class_names[static_cast<std::size_t>(config_.size)]);
    report_npb(row, {n, iterations, factor_, class_.keys() * is_iterations, slowest_},
               {"compute", "allreduce", "all_to_all", "all_to_all_v"});
  });
}

void NpbIs::call(comm::Rank& rank, const CollectiveCall& c, const comm::Choice& how) const {
  fill(*rank.ledger(), rank.id(), c);
  rank.first(keys_->ranks()).collective(c, how);
  if (c.v())
    expect_keys(rank, c);
  else
    expect_done(*rank.ledger(), rank.id(), keys_->ranks(), c);
}

/// Values in order come from memory while others are worked on; counts of keys are waited for.
Time NpbIs::ranking(int rank) const {
  const IsRanking& memory = memory_[static_cast<std::size_t>(rank)];
  const std::int64_t values = keys_->range(rank);
  return std::max(references(references_a_value_cleared * values), memory.clear) +
         references(references_a_key_ranked * keys_->received(rank)) + memory.count +
         std::max(references(references_a_value_added * values), memory.add);
}

void NpbIs::iteration(comm::Rank& rank, const Calls& c, NpbTimes& t) const {
  const std::int64_t sorted = references_a_bucket * class_.buckets() + references_a_key_sorted * keys_->own();
  t.during(rank, compute, [&] { rank.compute(references(sorted)); });
  t.during(rank, reduction, [&] { call(rank, c.reduction); });
  t.during(rank, counts, [&] { call(rank, c.counts); });
  t.during(rank, exchange, [&] { call(rank, c.exchange, how()); });
  t.during(rank, compute, [&] { rank.compute(ranking(rank.id())); });
}

void NpbIs::expect_keys(const comm::Rank& rank, const CollectiveCall& c) const {
  Bytes at;
  for (int from = 0; from < keys_->ranks(); ++from) {
    const Bytes size = c.received[static_cast<std::size_t>(from)];
    rank.ledger()->expect(rank.id(), comm::part(c.out, at, size), std::to_string(from),
                          is_integer * keys_->sent_before(from, rank.id()), "the keys");
    at += size;
  }
}

}  // namespace

ScenarioKind npb_is_scenario() {
  return scenario<NpbIs, NpbIsConfig>("npb_is", "NPB IS: keys sorted into ranges of values, time of an iteration");
}

}  // namespace tsunagi::scenarios
