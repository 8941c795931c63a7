// SPDX-License-Identifier: Apache-2.0
// Latency and accepted load of open-loop traffic behave as theory says.
#include <cmath>

#include "cluster/catalogs.hpp"
#include "config/config.hpp"
#include "machine/machine.hpp"
#include "models/catalog.hpp"
#include "models/libraries/catalog.hpp"
#include "report/digest.hpp"
#include "scenarios/scenario.hpp"
#include "support/catch.hpp"
#include "support/child.hpp"
#include "support/print.hpp"
#include "system/simulated.hpp"
#include "topo/graph.hpp"

namespace traffic_curves_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

std::int64_t count(const report::Row& r, const char* name) { return std::get<std::int64_t>(*r.find(name)); }
std::int64_t bytes(const report::Row& r, const char* name) { return std::get<Bytes>(*r.find(name)).count(); }
Time time(const report::Row& r, const char* name) { return std::get<Time>(*r.find(name)); }
bool saturated(const report::Row& r) { return std::get<std::string>(*r.find("saturated")) == "yes"; }

/// Payload that all ranks can inject together in a window, in 64-byte messages: 5 flits of 1 ns each.
double injectable(const report::Row& r, int ranks) {
  return static_cast<double>(time(r, "window").fs()) / 5e6 * 64 * ranks;
}

/// Below saturation what is offered is the nominal load, within four standard deviations of its Poisson processes, and
/// accepted but for what is under way.
void expect_unsaturated(const report::Row& r, int ranks) {
  CHECK(!saturated(r));
  const double nominal = injectable(r, ranks) / 64 * static_cast<double>(count(r, "load_ppm")) / 1e6;
  CHECK(std::abs(static_cast<double>(count(r, "messages")) - nominal) < 4 * std::sqrt(nominal));
  // Little: messages under way = rate x latency; at both ends of the window, each within four deviations.
  const double under_way = static_cast<double>(count(r, "messages")) * static_cast<double>(time(r, "mean").fs()) /
                           static_cast<double>(time(r, "window").fs());
  CHECK(std::abs(static_cast<double>(bytes(r, "accepted") - bytes(r, "offered"))) / 64 < 8 * std::sqrt(under_way) + 1);
}

/// The rows of a curve: latency grows, a saturated load has no mean, no load beyond the bound is accepted, and below
/// `safe` everything is.
void expect_curve(const report::Rows& rows, int ranks, std::int64_t bound, std::int64_t safe) {
  Time last, last_median;
  for (const report::Row& r : rows.rows) {
    CHECK(count(r, "bound_ppm") == bound);
    CHECK(time(r, "p50") >= last_median);
    last_median = time(r, "p50");
    CHECK(saturated(r) == (r.find("mean") == nullptr));
    if (!saturated(r)) CHECK(time(r, "mean") >= last);
    if (!saturated(r)) last = time(r, "mean");
    CHECK(static_cast<double>(bytes(r, "accepted")) < injectable(r, ranks) * static_cast<double>(bound) / 1e6);
    if (count(r, "load_ppm") <= safe) expect_unsaturated(r, ranks);
    if (count(r, "load_ppm") >= bound) CHECK(saturated(r));
  }
}

/// All cells as text, of a run in which simultaneous alarms ring in one order or the other.
std::string outcome(const RunConfig& run, bool reversed) {
  sim::Simulation sim;
  sim.agenda().reverse_ties(reversed);
  Machine machine(sim, topo::build(run.machine.topology), model_catalog());
  const auto library = libraries::build(run.library, machine);
  const auto scenario = scenarios::build(run.scenario);
  comm::World world(*library);
  scenario->fit(world);
  report::Recorder recorder;
  for (int r = 0; r < library->ranks(); ++r)
    sim.spawn("rank", [&, r](Fiber& fiber) {
      comm::Rank rank(world, fiber, r);
      scenario->program(rank, recorder);
    });
  sim.run(1_s);
  std::string text;
  for (const report::Row& row : recorder.rows().rows)
    for (const char* name : {"mean", "p50", "p99", "p99.9", "half_width"})
      text += row.find(name) == nullptr ? "- " : std::to_string(time(row, name).fs()) + " ";
  return text + std::to_string(machine.packet_hops());
}

}  // namespace

TEST_CASE("neighbours that share no wire see the zero-load latency at every load") {
  const report::Rows rows = rows_of("ring_traffic", {{"/scenario/pattern", "\"neighbour\""},
                                                     {"/scenario/arrivals", "\"bernoulli\""},
                                                     {"/scenario/loads", R"(["1 %", "50 %", "100 %"])"}});
  // 1 cycle, 3 wires of 5 ns, 2 routers of 3 cycles, 5 flits, 1 cycle; posted on an edge.
  const Time zero_load = 28_ns;
  for (const report::Row& r : rows.rows) {
    CHECK(count(r, "bound_ppm") == 1'000'000);
    CHECK(time(r, "mean") == zero_load);
    CHECK(time(r, "p99.9") == zero_load);
    CHECK(time(r, "half_width") == 0_ns);
  }
  CHECK(bytes(rows.rows[2], "accepted") == bytes(rows.rows[2], "offered"));
}

TEST_CASE("uniform traffic in an 8x8 torus starts at the zero-load latency of its mean distance") {
  const report::Rows rows =
      rows_of("torus_traffic", {{"/scenario/arrivals", "\"bernoulli\""}, {"/scenario/loads", R"(["0.5 %"])"}});
  const report::Row& r = rows.rows.front();
  // 20 ns and 8 ns a hop between routers; hops: 2 x 2 of 64 destinations, of which one is the sender.
  CHECK(time(r, "p50") == 20_ns + 8_ns * 4);
  CHECK(time(r, "p99") == 20_ns + 8_ns * 8);  // one of 63 is that far
  const Time mean = 20_ns + Time::from_fs(8'000'000LL * 4 * 64 / 63);
  CHECK(time(r, "mean") < mean + time(r, "half_width") * 2);
  CHECK(mean < time(r, "mean") + time(r, "half_width") * 2);
}

TEST_CASE("an 8x8 torus accepts what is offered, up to near its bisection bound and not beyond") {
  const report::Rows rows = rows_of(
      "torus_traffic",
      {{"/scenario/loads", R"(["5 %", "20 %", "40 %", "60 %", "75 %", "99 %"])"}, {"/scenario/window", "\"10 us\""}});
  // 32 of 63 messages cross the bisection: 32 ranks, 16 wires each way.
  expect_curve(rows, 64, 984'375, 600'000);
}

TEST_CASE("a ring of 16 accepts what is offered, up to near its bisection bound and not beyond") {
  const report::Rows rows =
      rows_of("ring_traffic", {{"/scenario/loads", R"(["2 %", "10 %", "20 %", "30 %", "40 %", "48 %", "60 %"])"}});
  // 8 of 15 messages cross the bisection: 8 ranks, 2 wires each way.
  expect_curve(rows, 16, 468'750, 300'000);
}

TEST_CASE("a load that a part of the flows cannot get through is saturated, though the others take all of theirs") {
  // Ranks 0 and 1 share a destination at 2 x 55 %; fourteen others have one each: 98.9 % of all bytes arrive.
  std::string matrix;
  for (int from = 0; from < 16; ++from) {
    std::string row;
    const int to = from == 1 ? 2 : from == 0 ? 2 : from == 2 ? 0 : (from - 3 + 1) % 13 + 3;
    for (int i = 0; i < 16; ++i) row += i == to ? " 1" : " 0";
    matrix += (from == 0 ? "\"" : ", \"") + row + "\"";
  }
  const report::Rows rows = rows_of("crossbar_matrix", {{"/scenario/matrix", "[" + matrix + "]"},
                                                        {"/scenario/window", "\"20 us\""},
                                                        {"/scenario/loads", R"(["45 %", "55 %"])"}});
  REQUIRE(rows.rows.size() == 2);
  CHECK(!saturated(rows.rows[0]));  // 2 x 45 % fit
  CHECK(rows.rows[0].find("overloaded") == nullptr);
  CHECK(saturated(rows.rows[1]));
  CHECK_THAT(std::get<std::string>(*rows.rows[1].find("overloaded")), Catch::Contains(" of 16 pairs, most "));
  CHECK(bytes(rows.rows[1], "accepted") * 100 > bytes(rows.rows[1], "offered") * 98);
  CHECK(rows.rows[1].headline().column == "accepted_rate");
}

TEST_CASE("a dragonfly whose local links carry two flows each is saturated a tenth beyond its bound") {
  const auto at = [](const char* loads) {
    return rows_of("torus_traffic",
                   {{"/machine", R"({"$use": ")" TSUNAGI_TEST_CONFIGS R"(/machines/dragonfly_72.json"})"},
                    {"/scenario/grid", "[]"},
                    {"/scenario/pattern", "\"shift\""},
                    {"/scenario/distance", "1"},
                    {"/scenario/loads", loads}});
  };
  const report::Rows rows = at(R"(["40 %", "55 %"])");
  CHECK(count(rows.rows[0], "bound_ppm") == 500'000);
  CHECK(!saturated(rows.rows[0]));
  CHECK(saturated(rows.rows[1]));
  CHECK(bytes(rows.rows[1], "accepted") * 100 > bytes(rows.rows[1], "offered") * 98);
}

TEST_CASE("incast is bounded by the receiver's wire, and fills it") {
  const report::Rows rows = rows_of("incast", {{"/scenario/loads", R"(["3 %", "6 %", "20 %"])"}});
  CHECK(count(rows.rows[0], "bound_ppm") == 66'666);
  expect_unsaturated(rows.rows[0], 15);
  expect_unsaturated(rows.rows[1], 15);
  CHECK(saturated(rows.rows[2]));
  CHECK(bytes(rows.rows[2], "accepted") == 40'000 / 5 * 64);  // one message each 5 ns
}

TEST_CASE("no result depends on the order of simultaneous alarms") {
  const RunConfig run = run_of("torus_traffic", {{"/machine/topology/sizes", "[4, 4]"},
                                                 {"/scenario/grid", "[4, 4]"},
                                                 {"/scenario/arrivals", "\"bernoulli\""},
                                                 {"/scenario/loads", R"(["30 %", "90 %", "100 %"])"},
                                                 {"/scenario/window", "\"10 us\""}});
  const std::string forward = in_child([&] { return outcome(run, false); });
  CHECK(!forward.empty());
  CHECK(in_child([&] { return outcome(run, true); }) == forward);
}

namespace {

/// A 4x4 torus of input-queued routers whose crossbar's edges do not fit the wires', far beyond saturation, with
/// packets in trains of up to so many.
Overrides input_queued_torus(const char* size, const char* max_train) {
  return {{"/machine/topology/sizes", "[4, 4]"},
          {"/machine/topology/router/kind", "\"input_queued_router\""},
          {"/machine/topology/router/speedup", "1.5"},
          {"/machine/topology/router/iterations", "2"},
          {"/scenario/grid", "[4, 4]"},
          {"/scenario/size", size},
          {"/scenario/arrivals", "\"bernoulli\""},
          {"/scenario/loads", R"(["30 %", "60 %", "100 %"])"},
          {"/scenario/window", "\"10 us\""},
          {"/options/max_train", max_train}};
}

}  // namespace

TEST_CASE("no result of input-queued routers depends on the order of simultaneous alarms") {
  const RunConfig run = run_of("torus_traffic", input_queued_torus("\"64 B\"", "1"));
  const std::string forward = in_child([&] { return outcome(run, false); });
  CHECK(!forward.empty());
  CHECK(in_child([&] { return outcome(run, true); }) == forward);
}

TEST_CASE("trains change no result of input-queued routers") {
  const report::Rows alone = rows_of("torus_traffic", input_queued_torus("\"1500 B\"", "1"));
  const report::Rows trains = rows_of("torus_traffic", input_queued_torus("\"1500 B\"", "64"));
  REQUIRE(alone.rows.size() == 3);
  CHECK(report::digest(alone) == report::digest(trains));
}

TEST_CASE("a seed repeats a run, another does not") {
  const auto once = [](const std::string& seed) {
    return in_child([&] {
      return outcome(
          run_of("ring_traffic",
                 {{"/scenario/loads", R"(["20 %"])"}, {"/scenario/window", "\"5 us\""}, {"/scenario/seed", seed}}),
          false);
    });
  };
  CHECK(once("7") == once("7"));
  CHECK(once("7") != once("8"));
}

}  // namespace traffic_curves_test
