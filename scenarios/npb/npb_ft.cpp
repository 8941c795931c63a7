// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "scenarios/collectives/collective_data.hpp"
#include "scenarios/npb/ft_class.hpp"
#include "scenarios/npb/npb.hpp"
#include "scenarios/two_sided.hpp"

namespace tsunagi::scenarios {

namespace {

using comm::Collective;
using comm::CollectiveCall;

struct NpbFtConfig {
  enum class Size : std::uint8_t { s, a, b };
  Size size = Size::s;
  NpbConfig run = {0, NpbConfig().iterations, 2_ns};
  comm::Choice how;
};

FtClass class_of(NpbFtConfig::Size s) {
  switch (s) {
    case NpbFtConfig::Size::a:
      return {"A", 8, 8, 7, 6};
    case NpbFtConfig::Size::b:
      return {"B", 9, 8, 8, 20};
    case NpbFtConfig::Size::s:
      break;
  }
  return {"S", 6, 6, 6, 6};
}

constexpr Bytes complex_number{16};

// Floating-point operations a point. A pass of n = 2^k points along one dimension takes 5 n log2 n; what is done once
// beside it and in each iteration is what ft.f counts beside its transforms (14.8 and 5.2), in whole numbers.
constexpr std::int64_t flops_a_halving = 5;
constexpr std::int64_t flops_once = 15;      // initial conditions, exponents
constexpr std::int64_t flops_iteration = 5;  // evolution, checksum

void describe(NpbFtConfig& c, config::Describer& d) {
  using namespace config;
  d.choice("class", c.size,
           {{"S", static_cast<std::int64_t>(NpbFtConfig::Size::s), "64 x 64 x 64 points, 6 iterations"},
            {"A", static_cast<std::int64_t>(NpbFtConfig::Size::a), "256 x 256 x 128 points, 6 iterations"},
            {"B", static_cast<std::int64_t>(NpbFtConfig::Size::b), "512 x 256 x 256 points, 20 iterations"}},
           "of the benchmark");
  describe_npb(d, c.run, "time of a floating-point operation on one rank, to be fitted to a measurement");
  d.field("algorithm", c.how.algorithm, "of the transposition, an all-to-all; none: the library's choice");
  d.choice("order", c.how.order, comm::partner_orders(),
           "in which a rank exchanges blocks with the others, by an algorithm that lets it be chosen");
}

/// NPB FT, the version for MPI, in slabs: each rank has whole planes. A transform is passes along the dimensions that
/// lie in planes and, behind or before a transposition, one along the third: an all-to-all of equal blocks of complex
/// numbers of 16 B. Once forwards, then an inverse one each iteration, of what has evolved, whose checksum is reduced
/// to rank 0. The whole beginning is done once untimed, as in the benchmark, whose timer begins behind a barrier. One
/// row.
class NpbFt final : public Scenario {
 public:
  explicit NpbFt(NpbFtConfig c) : config_(std::move(c)), class_(class_of(config_.size)) {}
  int ranks() const override { return 1; }
  void place(const comm::World& w) override;
  Bytes footprint(int ranks) const override;
  Bytes scratch(int /*ranks*/) const override { return scratch_; }
  void fit(comm::World& w) override;
  void declare(report::Recorder&, const comm::Library&) const override {}
  void program(comm::Rank& rank, report::Recorder& r) override;

 private:
  enum Part : std::size_t { computed, transposed, reduced, parts };
  /// Of each rank.
  struct Calls {
    CollectiveCall transposition;
    CollectiveCall checksum;
  };
  Calls calls() const;
  void call(comm::Rank& rank, const CollectiveCall& c, const comm::Choice& how = {}) const;
  void compute(comm::Rank& rank, NpbTimes& t, std::int64_t flops_a_point) const;
  void begin(comm::Rank& rank, const Calls& c, NpbTimes& t) const;
  void iteration(comm::Rank& rank, const Calls& c, NpbTimes& t) const;

  NpbFtConfig config_;
  FtClass class_;
  int ranks_ = 1;
  const comm::World* world_ = nullptr;
  int factor_ = 1;
  Bytes scratch_;
  NpbTimes slowest_;
  comm::StartLine line_;
};

void NpbFt::place(const comm::World& w) {
  ranks_ = npb_ranks(w, config_.run.ranks, class_.planes(), "planes");
  world_ = &w;
  factor_ = npb_factor(w, config_.run.iterations, class_.iterations, "");
}

NpbFt::Calls NpbFt::calls() const {
  NpbArea area;
  Calls c;
  c.transposition.kind = Collective::all_to_all;
  c.transposition.in = area.take(complex_number * (class_.points() / ranks_));
  c.transposition.out = area.take(c.transposition.in.size);
  c.checksum.kind = Collective::reduce;
  c.checksum.element = complex_number;
  c.checksum.in = area.take(complex_number);
  c.checksum.out = area.take(complex_number);
  return c;
}

Bytes NpbFt::footprint(int /*ranks*/) const {
  const comm::Buffer last = calls().checksum.out;
  return last.offset + last.size;
}

void NpbFt::fit(comm::World& w) {
  expect_messages(w, config_.run.ranks);
  const Calls c = calls();
  const char* where = config_.how.algorithm.empty() ? "/scenario" : "/scenario/algorithm";
  scratch_ = std::max(npb_scratch(w, ranks_, c.transposition, config_.how, where),
                      npb_scratch(w, ranks_, c.checksum, {}, "/scenario"));
}

void NpbFt::program(comm::Rank& rank, report::Recorder& r) {
  if (rank.id() >= ranks_) return;
  const Calls c = calls();
  const int iterations = class_.iterations / factor_;
  NpbTimes mine;
  mine.parts.assign(parts, Time::zero());
  comm::Group group = rank.first(ranks_);
  const auto tell = [&](int done) {
    if (rank.id() == 0) r.iteration(done, iterations + 2);
  };
  tell(0);
  begin(rank, c, mine);
  group.barrier();
  tell(1);
  if (rank.id() == 0) r.begin_account();
  const Time start = rank.now();
  begin(rank, c, mine);
  tell(2);
  mine.setup = rank.now() - start;
  mine.parts.assign(parts, Time::zero());
  for (int i = 1; i <= iterations; ++i) {
    group.together("iteration", static_cast<std::uint64_t>(i), c.transposition.in.size,
                   [&] { iteration(rank, c, mine); });
    tell(i + 2);
  }
  mine.total = rank.now() - start;
  mine.rank = rank.id();
  slowest_.keep_slower(mine);
  rank.meet(line_, ranks_, [&] {
    expect_alike(*world_, factor_);
    report::Row& row = r.row().text("class", class_.name);
    report_npb(row, {ranks_, iterations, factor_, class_.operations(), slowest_}, {"compute", "all_to_all", "reduce"});
  });
}

void NpbFt::call(comm::Rank& rank, const CollectiveCall& c, const comm::Choice& how) const {
  fill(*rank.ledger(), rank.id(), c);
  rank.first(ranks_).collective(c, how);
  expect_done(*rank.ledger(), rank.id(), ranks_, c);
}

void NpbFt::compute(comm::Rank& rank, NpbTimes& t, std::int64_t flops_a_point) const {
  t.during(rank, computed, [&] { rank.compute(config_.run.compute * (class_.points() / ranks_ * flops_a_point)); });
}

void NpbFt::begin(comm::Rank& rank, const Calls& c, NpbTimes& t) const {
  compute(rank, t, flops_once + flops_a_halving * (class_.x_log2 + class_.y_log2));
  t.during(rank, transposed, [&] { call(rank, c.transposition, config_.how); });
  compute(rank, t, flops_a_halving * class_.z_log2);
}

void NpbFt::iteration(comm::Rank& rank, const Calls& c, NpbTimes& t) const {
  compute(rank, t, flops_iteration + flops_a_halving * class_.z_log2);
  t.during(rank, transposed, [&] { call(rank, c.transposition, config_.how); });
  compute(rank, t, flops_a_halving * (class_.y_log2 + class_.x_log2));
  t.during(rank, reduced, [&] { call(rank, c.checksum); });
}

}  // namespace

ScenarioKind npb_ft_scenario() {
  return scenario<NpbFt, NpbFtConfig>("npb_ft", "NPB FT: a field transformed in slabs, time of an iteration");
}

}  // namespace tsunagi::scenarios
