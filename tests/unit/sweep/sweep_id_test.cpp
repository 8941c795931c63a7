// SPDX-License-Identifier: Apache-2.0
#include <ctime>
#include <random>
#include <set>

#include "support/catch.hpp"
#include "support/sanitized.hpp"
#include "unit/config/config_fixture.hpp"
#include "unit/sweep/sweep_plan_fixture.hpp"

namespace sweep_id_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

/// The id of the fixture's run with an override.
std::string id_with(const std::vector<config::Override>& overrides, const std::string& version = "1.0") {
  return sweep::id_of(config::read<RunConfig>(config::parse(plan_run, "r.json", overrides), plan_kinds()), version);
}

void expect_ids_of_reading(const sweep::Plan& plan) {
  for (std::size_t i = 0; i < plan.size(); ++i) {
    INFO("point " << i);
    CHECK(plan.id(i) == id_by_reading(plan, plan.point(i)));
    CHECK(plan.id(i) == plan.point(i).id);
  }
}

std::size_t different_ids(const sweep::Plan& plan) {
  std::set<std::string> ids;
  for (std::size_t i = 0; i < plan.size(); ++i) ids.insert(plan.id(i));
  return ids.size();
}

const std::string machine_b = R"({"name": "m", "topology": {"kind": "explicit", "devices": {"a": {"kind": "switch"}},
  "links": [{"ends": ["a.x", "a.y"], "wire": {"kind": "pcie", "lanes": 2}}]}})";

}  // namespace

TEST_CASE("sweep: the id of a run does not depend on how it is written") {
  const std::string id = id_with({});
  CHECK(id.size() == 32);
  CHECK(id_with({{"/name", "other"}, {"/title", "other"}}) == id);
  CHECK(id_with({{wire0 + "/max_payload_size", "256B"}}) == id);
  CHECK(id_with({{wire0 + "/max_payload_size", "0.25 KiB"}}) == id);
  CHECK(id_with({{"/options/seed", "1"}}) == id);
  CHECK(id_with({{switch_a, R"({"share": 0.50, "kind": "switch"})"}}) == id);
}

TEST_CASE("sweep: the id of a run depends on every value and on the version") {
  std::set<std::string> ids{id_with({}),
                            id_with({}, "1.1"),
                            id_with({{wire0 + "/max_payload_size", "128 B"}}),
                            id_with({{wire1 + "/max_payload_size", "128 B"}}),
                            id_with({{"/options/seed", "2"}}),
                            id_with({{"/machine/name", "n"}}),
                            id_with({{"/library/kind", "other"}}),
                            id_with({{"/scenario/sizes", "[]"}}),
                            id_with({{"/scenario/loads", "[]"}}),
                            id_with({{switch_a + "/strict", "true"}})};
  CHECK(ids.size() == 10);
}

TEST_CASE("sweep: equal points have equal ids, others have not") {
  const auto plan = plan_of("\"axes\": [" +
                            axis_text("size", "/machine/topology/devices/box/devices/b~1c/size",
                                      R"(["64B", "64 B", "4 KiB", "4096 B", "128 B"])") +
                            "]");
  CHECK(plan.id(0) == plan.id(1));
  CHECK(plan.id(2) == plan.id(3));
  CHECK(plan.id(2) == id_with({}));
  CHECK(different_ids(plan) == 3);
}

TEST_CASE("sweep: the hash of a plan is that of its points and of the version") {
  const std::string axes = "\"axes\": [" + axis_text("seed", "/options/seed", "[1, 2]") + "]";
  const sweep::Sweep s = sweep_of(axes);
  const std::string hash = plan_of(axes).hash();
  CHECK(hash == plan_of(axes).hash());
  CHECK(hash != sweep::Plan(s, plan_kinds(), "1.1").hash());
  CHECK(hash != plan_of("\"axes\": [" + axis_text("seed", "/options/seed", "[2, 1]") + "]").hash());
}

TEST_CASE("sweep: ids of points are those of their runs, whatever the axes are") {
  expect_ids_of_reading(plan_of("\"axes\": [" +
                                axis_text("wire", wire0, R"([{"kind": "pcie"}, {"kind": "pcie", "lanes": 2}])") + "," +
                                axis_text("devices", "/machine/topology/devices/box",
                                          R"([{"kind": "buffer"}, {"kind": "group", "devices": {}}])") +
                                "," + axis_text("name", "/name", R"(["x", "y"])") + "," +
                                axis_text("loads", "/scenario/loads", R"([["1 %"], ["1 %", "2 %"]])") + "]"));
  expect_ids_of_reading(plan_of("\"axes\": [" + axis_text("rate", switch_a + "/rate", R"(["infinite", "3 GB/s"])") +
                                "," + axis_text("share", switch_a + "/share", "[0, 1, 0.25]") + "]"));
  // a kind changes what stands beside it
  expect_ids_of_reading(plan_of("\"axes\": [" + axis_text("library", "/library/kind", R"(["none", "other"])") + "," +
                                axis_text("low", switch_a + "/low", "[1, 2]") + "]"));
}

TEST_CASE("sweep: axes may lie inside each other, in any order") {
  const auto check = [](const std::string& axes) {
    const auto plan = plan_of("\"axes\": [" + axes + "," + axis_text("seed", "/options/seed", "[1, 2]") + "]");
    REQUIRE(plan.size() == 8);
    expect_ids_of_reading(plan);
    CHECK(different_ids(plan) == 8);
  };
  const std::string machine = axis_text("machine", "/machine", "[" + machine_b + R"(, {"name": "m", "topology":
    {"kind": "explicit", "devices": {}, "links": [{"ends": ["a.x", "a.y"], "wire": {"kind": "pcie"}}]}}])");
  const std::string lanes = axis_text("lanes", wire0 + "/lanes", "[1, 4]");
  check(machine + "," + lanes);
  check(lanes + "," + machine);
  expect_ids_of_reading(plan_of("\"axes\": [{\"zip\": [" + lanes + "," + machine + "]}]"));
}

TEST_CASE("sweep: points that the reader refuses have ids of their own") {
  // machine 1 has no link 0: the lanes lead nowhere there
  const auto plan =
      plan_of("\"axes\": [" + axis_text("machine", "/machine", "[" + machine_b + R"(, {"name": "m", "topology": {"kind":
    "explicit", "devices": {}}}])") +
              "," + axis_text("lanes", wire0 + "/lanes", "[1, 4]") + "]");
  CHECK(different_ids(plan) == 4);
  CHECK_THROWS_AS(id_by_reading(plan, plan.point(2)), config::ConfigError);
}

TEST_CASE("sweep: a kind that needs other fields makes every point be read") {
  // "buffer" does not know "latency"; the fields beside the kind change with it
  const auto plan =
      plan_of("\"axes\": [" + axis_text("kind", switch_a + "/kind", R"(["switch", "buffer"])") + "," +
              axis_text("low", switch_a + "/low", "[1, 2]") + "," + axis_text("seed", "/options/seed", "[1, 2]") + "]");
  for (const std::size_t i : {0u, 1u, 2u, 3u}) CHECK(plan.id(i) == id_by_reading(plan, plan.point(i)));
  CHECK(different_ids(plan) == 8);
}

TEST_CASE("sweep: an axis of many values is planned as fast as many axes, with the ids of its runs") {
  const auto axis = [](const std::string& path, const std::string& range) {
    return R"("axes": [{"name": "x", "path": ")" + path + R"(", "range": {)" + range + "}}]";
  };
  const std::clock_t start = std::clock();
  for (const auto& [path, range] : std::vector<std::pair<std::string, std::string>>{
           {"/options/seed", R"("from": 1, "to": 5000, "step": 1)"},
           {switch_a + "/share", R"("from": 0, "to": 1, "count": 1000)"},
           {"/machine/topology/devices/box/devices/b~1c/size", R"("from": "64 B", "to": "1024 B", "step": "1 B")"},
           {wire1 + "/flight", R"("from": "1 ns", "to": "100 ns", "count": 1000)"}}) {
    const auto plan = plan_of(axis(path, range));
    CHECK(different_ids(plan) == plan.size());
    for (std::size_t i = 0; i < plan.size(); i += 71) CHECK(plan.id(i) == id_by_reading(plan, plan.point(i)));
  }
  // Some 1.3 s of a core; machines may be three times slower, sanitized programs more.
  CHECK(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC < (sanitized ? 60 : 10));
  // "low" must not be above "high", which is 8: the last values are refused by a rule over both
  const auto ruled = plan_of(axis(switch_a + "/low", R"("from": -500, "to": 20, "step": 1)"));
  CHECK(different_ids(ruled) == ruled.size());
  CHECK_THAT(plan_complaint(axis(switch_a + "/latency", R"("from": "1 ns", "to": "1001 ns", "step": "1 ns")")),
             Catch::Contains("not 1.001 us"));
}

TEST_CASE("sweep: ids of random points of a large plan are those of their runs") {
  const auto range = [](const std::string& name, const std::string& path, const std::string& ends) {
    return R"({"name": ")" + name + R"(", "path": ")" + path + R"(", "range": {)" + ends + "}}";
  };
  const std::string axes = "\"axes\": [" +
                           range("latency", switch_a + "/latency", R"("from": "1 ns", "to": "10 ns", "step": "1 ns")") +
                           "," + range("share", switch_a + "/share", R"("from": 0, "to": 1, "count": 10)") + "," +
                           range("flight", wire0 + "/flight", R"("from": "1 ns", "to": "100 ns", "count": 10)") + "," +
                           range("seed", "/options/seed", R"("from": 1, "to": 10, "step": 1)") + "," +
                           range("delay", wire1 + "/internal_delay", R"("from": 10, "to": 100, "step": 10)") + R"(],
    "derive": [{"path": ")" +
                           wire0 + R"(/replay_buffer", "expression": "64*seed + flight", "unit": "B"}])";
  const std::clock_t start = std::clock();
  const auto plan = plan_of(axes);
  std::set<std::string> ids;
  for (std::size_t i = 0; i < plan.size(); ++i) ids.insert(plan.id(i));
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  CHECK(plan.size() == 100'000);
  CHECK(ids.size() == 100'000);
  CHECK(seconds < (sanitized ? 60 : 10));
  std::mt19937 random(1);
  for (int n = 0; n < 100; ++n) {
    const auto point = plan.point(random() % plan.size());
    CHECK(point.id == id_by_reading(plan, point));
  }
}

}  // namespace sweep_id_test
