// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "config/error_at.hpp"
#include "figures/figure_check.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "unit/runner/runner_fixture.hpp"

namespace figures_check_test {

using namespace tsunagi;
using figures::Compare;
using figures::FigureEntry;
using figures::FigureStatus;
using figures::KnownMiss;

namespace {

/// The fake simulation measures 912 ns, fails or finds its config wrong. It polls 30 ns for each of two messages.
runner::Counts simulate(const RunConfig& run, const std::string&, report::Recorder& recorder) {
  if (test::what_of(run) == "throw") throw std::runtime_error("stuck");
  if (test::what_of(run) == "bad config") throw config::error_at("/scenario/what", "is bad");
  std::int64_t rows = 0;
  recorder.take_accounts([&] {
    return report::Accounts{{{"poll", rows, 30_ns * rows}}, rows, {}, {2 * rows, {}}, {}};
  });
  recorder.begin_account();
  ++rows;
  recorder.row().time("latency", 912_ns).text("mode", "pio");
  ++rows;
  recorder.row().time("latency", 100_ns).text("mode", "dma");
  recorder.end_accounts();
  return {};
}

/// A folder with a run file; `what` is told to the fake simulation.
struct Bench {
  explicit Bench(const std::string& what = "fine") { folder.write("run.json", test::run_text(what)); }

  FigureEntry figure(double value, const std::string& expression = "max(r.latency)/us") const {
    FigureEntry entry;
    entry.system = "s";
    entry.file = folder.path() / "s.json";
    entry.figure.id = "f";
    entry.figure.value = value;
    entry.figure.tolerance = 0.05;
    entry.figure.unit = "us";
    entry.figure.runs = {{"r", "run.json", {}, {}}};
    entry.figure.expression = expression;
    return entry;
  }
  figures::Verdict verdict(const FigureEntry& entry, const std::vector<KnownMiss>& missed = {}) const {
    return figures::check_figures({entry}, missed, test::fake_kinds(), simulate, {}).verdicts.at(0);
  }

  test::TemporaryFolder folder;
};

}  // namespace

TEST_CASE("a figure passes inside its tolerance and misses outside") {
  const Bench bench;
  const auto pass = bench.verdict(bench.figure(0.9));
  CHECK(pass.status == FigureStatus::pass);
  CHECK(pass.simulated.value() == Approx(0.912));
  CHECK(pass.wall_s > 0);
  CHECK(bench.verdict(bench.figure(0.8)).status == FigureStatus::miss);
}

TEST_CASE("a figure may be of what its run counted beside the rows") {
  const Bench bench;
  CHECK(bench.verdict(bench.figure(0.03, "step_mean(r, 'poll')/us")).status == FigureStatus::pass);
  CHECK(bench.verdict(bench.figure(2, "step_calls(r, 'poll')")).status == FigureStatus::pass);
  FigureEntry of_row = bench.figure(1, "at(step_calls(r, 'poll'), r.mode, 'pio')");
  of_row.figure.runs.front().where = {"mode=pio"};
  CHECK(bench.verdict(of_row).status == FigureStatus::pass);
  CHECK(bench.verdict(bench.figure(2, "copies(r, 'core')")).status == FigureStatus::pass);
  CHECK_THROWS_AS(bench.verdict(bench.figure(1, "step_mean(r, 'pole')")), config::ConfigError);
}

TEST_CASE("a figure without runs is not judged") {
  const Bench bench;
  FigureEntry entry = bench.figure(0.9);
  entry.figure.runs.clear();
  entry.figure.expression.clear();
  const auto verdict = bench.verdict(entry);
  CHECK(verdict.status == FigureStatus::no_run);
  CHECK_FALSE(verdict.simulated);
}

TEST_CASE("a listed miss is known until it moves by more than 1 %, and is told when it passes") {
  const Bench bench;
  const auto known = bench.verdict(bench.figure(0.8), {{"f", 0.912, "m", "t"}});
  CHECK(known.status == FigureStatus::known_miss);
  CHECK(known.why.empty());
  const auto moved = bench.verdict(bench.figure(0.8), {{"f", 0.93, "m", "t"}});
  CHECK(moved.status == FigureStatus::miss);
  CHECK_THAT(moved.why, Catch::Contains("moved by more than 1 % from the 0.93"));
  CHECK(bench.verdict(bench.figure(0.8), {{"f", 0.92, "m", "t"}}).status == FigureStatus::known_miss);
  const auto passes = bench.verdict(bench.figure(0.9), {{"f", 0.7, "m", "t"}});
  CHECK(passes.status == FigureStatus::pass);
  CHECK_THAT(passes.why, Catch::Contains("remove it"));
}

TEST_CASE("where keeps the rows of one kind") {
  const Bench bench;
  FigureEntry entry = bench.figure(0.1);
  entry.figure.runs[0].where = {"mode=dma"};
  CHECK(bench.verdict(entry).simulated.value() == Approx(0.1));
}

TEST_CASE("set changes the run") {
  const Bench bench;
  FigureEntry entry = bench.figure(0.9);
  entry.figure.runs[0].set = {"/scenario/what=throw"};
  const auto verdict = bench.verdict(entry);
  CHECK(verdict.status == FigureStatus::miss);
  CHECK_THAT(verdict.why, Catch::Contains("stuck"));
  entry.figure.runs[0].set = {"/scenario/wat=throw"};
  CHECK_THROWS_WITH(bench.verdict(entry), Catch::Contains("did you mean \"what\""));
}

TEST_CASE("an expression that these rows do not answer is a miss, a wrong one an error that names the figure") {
  const Bench bench;
  CHECK(bench.verdict(bench.figure(0.9, "at(r.latency, r.mode, 'x')")).status == FigureStatus::miss);
  CHECK_THROWS_WITH(bench.verdict(bench.figure(0.9, "max(r.latent)")), Catch::Contains("s.json: figure f: "));
}

TEST_CASE("a config found wrong by the simulation is an error with its place") {
  const Bench bench("bad config");
  CHECK_THROWS_WITH(bench.verdict(bench.figure(0.9)), Catch::Contains("run.json:3:43: /scenario/what: is bad"));
}

TEST_CASE("a figure that a parameter was fitted to says which") {
  const Bench bench;
  bench.folder.write("run.json", R"({"machine": {"name": "m", "topology": {"kind": "anything", "size": "9 B",
    "$sources": {"size": {"class": "fitted", "source": "f", "fitted_to": ["f"], "range": ["1 B", "10 B"]}}}},
    "library": {"kind": "anything"}, "scenario": {"kind": "anything"}})");
  FigureEntry entry = bench.figure(0.9);
  entry.figure.role = figures::Role::fitted;
  const auto fitted = bench.verdict(entry);
  REQUIRE(fitted.fitted.size() == 1);
  CHECK_THAT(fitted.fitted[0], Catch::Contains("run.json:2:18 /machine/topology/size"));
  FigureEntry other = bench.figure(0.9);
  other.figure.id = "another";
  CHECK(bench.verdict(other).fitted.empty());

  // its own file and the parameter's have to say the same
  CHECK_THROWS_WITH(
      bench.verdict(bench.figure(0.9)),
      Catch::Contains("s.json: figure f is \"predicted\", but a parameter is \"fitted_to\" it: run.json"));
  other.figure.role = figures::Role::fitted;
  CHECK_THROWS_WITH(bench.verdict(other), Catch::Contains("figure another is \"fitted\", but no parameter"));
}

TEST_CASE("simulated values are shown with four digits and without exponents") {
  CHECK(figures::rounded(0.90071) == "0.9007");
  CHECK(figures::rounded(9999.4) == "9999");
  CHECK(figures::rounded(9999.6) == "10000");
  CHECK(figures::rounded(10240) == "10240");
}

TEST_CASE("each comparison holds at its bounds") {
  figures::Figure f;
  f.value = 100;
  f.tolerance = 0.05;
  f.upper = 110;
  const auto holds = [&f](Compare compare, double simulated) {
    f.compare = compare;
    return figures::agrees(f, simulated);
  };
  CHECK(holds(Compare::near, 105));
  CHECK_FALSE(holds(Compare::near, 105.1));
  CHECK_FALSE(holds(Compare::near, 94.9));
  CHECK(holds(Compare::at_least, 100));
  CHECK_FALSE(holds(Compare::at_least, 99.9));
  CHECK(holds(Compare::at_most, 100));
  CHECK_FALSE(holds(Compare::at_most, 100.1));
  CHECK(holds(Compare::between, 110));
  CHECK_FALSE(holds(Compare::between, 110.1));
  CHECK_FALSE(holds(Compare::between, 99.9));
}

}  // namespace figures_check_test
