// SPDX-License-Identifier: Apache-2.0
// Axes, derived values and --set that have many places.
#include "runner/run_config.hpp"
#include "support/catch.hpp"
#include "unit/config/config_fixture.hpp"
#include "unit/sweep/sweep_plan_fixture.hpp"

namespace sweep_places_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

std::string axes(const std::string& list) { return "\"axes\": [" + list + "]"; }

/// The ids of all points.
std::vector<std::string> ids(const sweep::Plan& plan) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < plan.size(); ++i) out.push_back(plan.id(i));
  return out;
}

const std::string both_lanes =
    R"({"name": "lanes", "paths": [")" + wire0 + R"(/lanes", ")" + wire1 + R"(/lanes"], "values": [1, 4, 8]})";

/// The complaint about a sweep of a run in r.json with --vary and --set.
std::string complaint(const std::vector<std::string>& vary, const std::vector<config::Override>& set = {}) {
  const world::Folder folder({{"r.json", plan_run}, {"s.json", "{}"}});
  try {
    const sweep::Sweep sweep =
        sweep::from_vary(config::load("r.json", set, config::resolver<RunConfig>(plan_kinds())), vary);
    sweep::Plan(sweep, plan_kinds(), "1.0");
  } catch (const config::ConfigError& e) {
    return e.what();
  }
  return {};
}

}  // namespace

TEST_CASE("sweep: an axis of many places makes the points of an axis that lists them") {
  const std::vector<std::string> listed = ids(plan_of(axes(both_lanes)));
  for (const char* path : {"[kind=pcie]/lanes", "/machine/topology/links/*/wire/lanes", "**/lanes", "lanes"})
    CHECK(ids(plan_of(axes(axis_text("lanes", path, "[1, 4, 8]")))) == listed);
  CHECK(ids(plan_of(axes(axis_text("lanes", "[kind=pcie][lanes=4]/lanes", "[1, 4, 8]")))) ==
        ids(plan_of(axes(axis_text("lanes", wire1 + "/lanes", "[1, 4, 8]")))));
}

TEST_CASE("sweep: a generation changes all that follows from it, as in a file that says it") {
  const sweep::Plan plan = plan_of(axes(axis_text("generation", "[kind=pcie]/generation", "[1, 2, 3]")));
  REQUIRE(plan.size() == 3);
  for (std::size_t i = 0; i < plan.size(); ++i) CHECK(plan.id(i) == id_by_reading(plan, plan.point(i)));
  auto run = config::read<RunConfig>(plan.document(plan.point(2)), plan_kinds());
  const auto wire = config::resolved(run)["machine"]["topology"]["links"][1]["wire"];
  CHECK(wire["rate"] == "8 GT/s");
  CHECK(wire["coding"] == "128b/130b");
  CHECK(wire["lanes"] == 4);
}

TEST_CASE("sweep: a derived value may have many places") {
  const auto derive = [](const std::string& path) {
    return R"(, "derive": [{"path": ")" + path + R"(", "expression": "2 * lanes"}])";
  };
  const std::string axis = axis_text("lanes", wire0 + "/lanes", "[1, 4]");
  const sweep::Plan plan = plan_of(axes(axis) + derive("[kind=pcie]/skip_symbols"));
  REQUIRE(plan.point(1).overrides.size() == 3);
  CHECK(plan.point(1).overrides[1].pointer == wire0 + "/skip_symbols");
  CHECK(plan.point(1).overrides[2].pointer == wire1 + "/skip_symbols");
  CHECK(plan.point(1).overrides[2].value == "8");
}

TEST_CASE("sweep: what two axes, or an axis and --set, would set is refused by its place") {
  CHECK_THAT(plan_complaint(
                 axes(axis_text("all", "[kind=pcie]/lanes", "[1]") + "," + axis_text("one", wire1 + "/lanes", "[4]"))),
             Catch::Contains("axis \"one\" sets " + wire1 + "/lanes, which axis \"all\" sets already"));
  CHECK_THAT(plan_complaint(axes(both_lanes) + R"(, "derive": [{"path": "lanes", "expression": "lanes"}])"),
             Catch::Contains("a derived value sets " + wire0 + "/lanes, which axis \"lanes\" sets already"));
  CHECK(complaint({"[kind=pcie]/lanes=1,4"}, {{"**/wire/lanes", "8"}}) ==
        "--set **/wire/lanes: axis \"lanes\" sets " + wire0 + "/lanes; leave out one of the two");
  CHECK(complaint({wire0 + "/lanes=1,4"}, {{"[lanes=4]/lanes", "8"}}).empty());
}

TEST_CASE("sweep: a path without a place, and values that none of its places takes, are told once") {
  CHECK_THAT(complaint({"[kind=pcie]/lane=1"}),
             Catch::StartsWith("--vary [kind=pcie]/lane: there is no \"lane\" below \"[kind=pcie]\"; did you mean "));
  CHECK(complaint({"[kind=pcie]/lanes=1,3"}) == "--vary [kind=pcie]/lanes: must be one of 1, 2, 4, 8, 16, not 3");
  CHECK_THAT(plan_complaint(axes(axis_text("x", "**/lanes/*", "[1]"))),
             Catch::Contains("/axes/0: **/lanes/*: nothing is below \"lanes\": they have values"));
}

TEST_CASE("sweep: axes of --vary are named by their paths without stars and conditions") {
  const world::Folder folder({{"r.json", plan_run}, {"s.json", "{}"}});
  const auto names = [](const std::vector<std::string>& vary) {
    std::string out;
    for (const sweep::Dimension& d : sweep::from_vary("r.json", vary).dimensions) out += d.front().name + " | ";
    return out;
  };
  CHECK(names({"[kind=pcie]/lanes=1", "**/seed=1", "/machine/*/links/*/wire/flight=1 m"}) ==
        "lanes | seed | flight | ");
  CHECK(names({"seed=1", "/scenario/loads/*=\"1 %\"", "links/*=1"}) == "seed | loads/* | links/* | ");
  CHECK(names({"[lanes=4]/flight=1 m", "[lanes=8]/flight=1 m"}) == "[lanes=4]/flight | [lanes=8]/flight | ");
}

}  // namespace sweep_places_test
