// SPDX-License-Identifier: Apache-2.0
#include "scenarios/npb/npb.hpp"

#include <algorithm>
#include <stdexcept>

#include "config/error_at.hpp"
#include "scenarios/two_sided.hpp"
#include "units/checked.hpp"
#include "units/wide.hpp"

namespace tsunagi::scenarios {

void describe_npb(config::Describer& d, NpbConfig& c, std::string_view unit) {
  using namespace config;
  describe_ranks(d, c.ranks);
  d.field("iterations", c.iterations,
          "that run, each for as many of the benchmark's, whose number they divide; no more than it has",
          within(1, 1'000'000));
  d.field("compute", c.compute, unit, at_most(100_ns));
}

int npb_ranks(const comm::World& w, int given, int most, const std::string& of_each) {
  const int n = taking_part(given, w.library().ranks());
  const std::string where = given == 0 ? "/scenario" : "/scenario/ranks";
  if (n > w.library().ranks())
    throw config::error_at(
        where, "needs " + std::to_string(n) + " ranks, the library has " + std::to_string(w.library().ranks()));
  if ((n & (n - 1)) != 0)
    throw config::error_at(where, "the benchmark takes 1, 2, 4, 8, ... ranks, not " + std::to_string(n));
  if (n > most)
    throw config::error_at(where, std::to_string(n) + " ranks, but there are " + std::to_string(most) + " " + of_each +
                                      ", of which each needs one");
  return n;
}

int npb_factor(const comm::World& w, int given, int all, const std::string& unlike) {
  const int n = std::min(given, all);
  const auto refuse = [](const std::string& why) { throw config::error_at("/scenario/iterations", why); };
  if (all % n != 0) refuse(std::to_string(n) + " iterations do not divide the benchmark's " + std::to_string(all));
  const std::string& why = unlike.empty() ? w.loss() : unlike;
  if (n != all && !why.empty())
    refuse(std::to_string(n) + " iterations cannot stand for " + std::to_string(all) + " that are not alike: " + why);
  return all / n;
}

void expect_alike(const comm::World& w, int factor) {
  if (factor == 1 || w.library().lost() == 0) return;
  const std::string more = w.library().advice();
  throw std::runtime_error("iterations that stand for others were not alike: something was lost and sent again" +
                           (more.empty() ? "" : " (" + more + ")") +
                           "; let all of them run (\"/scenario/iterations\")");
}

Bytes npb_scratch(comm::World& w, int ranks, comm::CollectiveCall c, const comm::Choice& how, const char* where) {
  c.order = how.order;
  comm::Means means = comm::means(w, w.groups().first(ranks)->ranks, c);
  means.scratch = largest_given;
  try {
    return comm::scratch_need(ranks, c, how.algorithm, means);
  } catch (const std::invalid_argument& e) {
    throw config::error_at(where, e.what());
  }
}

void report_npb(report::Row& row, const NpbResult& r, const std::vector<const char*>& names) {
  const Time iterations = r.slowest.total - r.slowest.setup;
  const Time total = r.slowest.setup + iterations * r.factor;
  const auto of_one = [&](Time t) { return Time::from_fs(t.fs() / r.iterations); };
  constexpr std::int64_t fs_over_thousand = 1'000'000'000'000;
  const auto rate = total == Time::zero() ? Wide(0) : Wide(r.operations) * fs_over_thousand / total.fs();
  row.count("ranks", r.ranks)
      .count("iterations", r.iterations)
      .count("factor", r.factor)
      .time("time", of_one(iterations))
      .time("total", total)
      .count("operations", r.operations)
      .count("kop_s", static_cast<std::int64_t>(rate))
      .count("slowest", r.slowest.rank);
  for (std::size_t i = 0; i < names.size(); ++i) row.time(names[i], of_one(r.slowest.parts[i]));
  row.headline({"time", "of an iteration, at the rank whose timer says most"});
}

comm::Buffer NpbArea::take(Bytes n) {
  constexpr Bytes page{4096};
  const comm::Buffer b{end_, n, {}, {}};
  end_ += page * units_of(n, page);
  return b;
}

}  // namespace tsunagi::scenarios
