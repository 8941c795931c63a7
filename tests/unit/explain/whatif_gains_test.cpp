// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <stdexcept>

#include "config/error_at.hpp"
#include "support/catch.hpp"
#include "unit/explain/whatif_fixture.hpp"
#include "whatif/gains.hpp"

namespace whatif_gains_test {

using namespace tsunagi;
using runner::Status;
using whatif::Comparison;
using whatif::Gain;

namespace {

/// The first chip and the two cables of a run.
const test::ChipConfig& chip(const RunConfig& run) {
  return run.machine.topology.as<topo::ExplicitConfig>().all.devices.front().second.as<test::ChipConfig>();
}
Time flights(const RunConfig& run) {
  Time sum;
  for (const auto& link : run.machine.topology.as<topo::ExplicitConfig>().all.links)
    sum += link.wire.as<test::CableConfig>().flight;
  return sum;
}

/// A message costs its software, a chip and both cables: 151 ns as the run is; a second row only the software.
runner::Counts simulate(const RunConfig& run, const std::string&, report::Recorder& recorder) {
  const auto& program = run.scenario.as<test::ProgramConfig>();
  if (program.what == "throw") throw std::runtime_error("rank 0 waits for rank 1");
  if (program.what == "Ctrl-C") ::kill(::getppid(), SIGINT);
  if (program.what == "no rows") return {};
  if (chip(run).engine.tags == 32) throw std::runtime_error("out of tags");
  if (program.what == "picky" && flights(run) == 0_ns) throw config::error_at("/machine", "needs a flight");
  const Time message = program.step + chip(run).latency + flights(run);
  const std::string time = program.what == "rate" ? "time" : "latency";
  if (program.what == "rate") recorder.rate("slow", "some", time);
  if (program.what == "rate") recorder.rate("fast", "size", time);
  recorder.row().bytes("size", 8_B).bytes("some", 1_B).time(time, message).time("other", 7_ns);
  report::Row& last = recorder.row().bytes("size", 16_B).bytes("some", 1_B).time(time, program.step + 1_ns);
  if (program.what == "rate") last.headline({"slow", "it is the slow one that counts"});
  return {};
}

Comparison measured(const std::vector<config::Override>& overrides, const whatif::Selection& selection,
                    const runner::Options& options = {}) {
  const RunConfig run = test::whatif_run(overrides);
  return whatif::measure(run, whatif::limits(run), test::whatif_kinds(), simulate, selection, options);
}

whatif::Selection row(std::size_t index) { return {index, {}}; }

std::vector<std::string> names(const Comparison& c) {
  std::vector<std::string> out;
  for (const Gain& gain : c.gains) out.push_back(gain.limit.name);
  return out;
}

}  // namespace

TEST_CASE("whatif: gains are ranked, equal ones by name, problems last") {
  const Comparison c = measured({}, row(0));
  REQUIRE(c.base.status == Status::ok);
  CHECK_FALSE(c.interrupted);
  CHECK(c.metric.column == "latency");
  CHECK_FALSE(c.metric.is_rate);
  CHECK(c.now == Approx(151e6));
  CHECK(names(c) == std::vector<std::string>{"step of chip", "latency of chip (2 places)", "flight of cable (2 places)",
                                             "queue of chip (2 places)", "engine.tags of chip (2 places)"});
  CHECK(c.gains[0].result == Approx(51e6));
  CHECK(c.gains[0].gain == Approx(151.0 / 51));
  CHECK(c.gains[2].gain == Approx(151.0 / 140));
  CHECK(c.gains[3].gain == 1.0);
  CHECK(c.gains[4].problem == "out of tags");
}

TEST_CASE("whatif: the last row counts unless another is asked for") {
  const Comparison c = measured({}, {});
  CHECK(c.metric.row == 1);
  CHECK(c.now == Approx(101e6));
  CHECK(c.gains[0].gain == Approx(101.0));
  CHECK_THROWS_WITH(measured({}, row(2)), "there is no row 2: the run has 2, counted from 0");
  CHECK_THROWS_WITH(measured({{"/scenario/what", "no rows"}}, {}), "the run has no rows to compare");
}

TEST_CASE("whatif: without a latency the largest rate is compared, the more the better") {
  const Comparison c = measured({{"/scenario/what", "rate"}}, row(0));
  CHECK(c.metric.column == "fast");
  CHECK(c.metric.is_rate);
  CHECK(c.now == Approx(8 / 151e-9));
  CHECK(c.gains[0].limit.name == "step of chip");
  CHECK(c.gains[0].gain == Approx(151.0 / 51));
}

TEST_CASE("whatif: a row says what it is compared by") {
  const Comparison c = measured({{"/scenario/what", "rate"}}, {});
  CHECK(c.metric.column == "slow");
  CHECK(c.metric.why == "it is the slow one that counts");
  CHECK(measured({{"/scenario/what", "rate"}}, {1, "fast"}).metric.why.empty());
}

TEST_CASE("whatif: any time or rate can be asked for") {
  CHECK(measured({{"/scenario/what", "rate"}}, {0, "slow"}).now == Approx(1 / 151e-9));
  const Comparison c = measured({}, {0, "other"});
  CHECK(c.now == Approx(7e6));
  CHECK(c.gains[0].gain == 1.0);
  CHECK_THROWS_WITH(measured({}, {0, "size"}), "row 0 has no time or rate \"size\"");
  CHECK_THROWS_AS(measured({}, {1, "other"}), std::invalid_argument);
}

TEST_CASE("whatif: an ideal that the config refuses is told, and not run") {
  std::size_t runs = 0;
  runner::Options options;
  options.progress = [&runs](std::size_t, std::size_t total) { runs = total; };
  const Comparison c = measured({{"/machine/topology/devices/a/strict", "true"}}, row(0), options);
  CHECK(runs == 5);  // the base and four of the five limits
  CHECK(c.gains[4].limit.name == "queue of chip (2 places)");
  CHECK(c.gains[4].problem == "/machine/topology/devices/a: \"queue\" must not be infinite here");
  CHECK(c.gains[0].gain == Approx(151.0 / 51));
}

TEST_CASE("whatif: an ideal that the simulation refuses is told with its place in the run") {
  const Comparison c = measured({{"/scenario/what", "picky"}}, row(0));
  CHECK(c.gains[4].limit.name == "flight of cable (2 places)");
  CHECK(c.gains[4].problem == "/machine: needs a flight");
}

TEST_CASE("whatif: when the run itself fails there is nothing to compare") {
  const Comparison c = measured({{"/scenario/what", "throw"}}, {});
  CHECK(c.base.status == Status::failed);
  CHECK(c.base.messages == std::vector<std::string>{"rank 0 waits for rank 1"});
  CHECK(c.gains.empty());
  CHECK(measured({{"/scenario/what", "Ctrl-C"}}, {}).interrupted);
}

TEST_CASE("whatif: nothing else is simulated of a run that fails, or has no such row") {
  std::size_t over = 0;
  runner::Options options;
  options.progress = [&](std::size_t done, std::size_t) { over = std::max(over, done); };
  measured({{"/scenario/what", "throw"}}, {}, options);
  CHECK_THROWS_AS(measured({}, row(9), options), std::invalid_argument);
  CHECK(over == 1);
  measured({}, row(0), options);
  CHECK(over == 6);
}

}  // namespace whatif_gains_test
