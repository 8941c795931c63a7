// SPDX-License-Identifier: Apache-2.0
#include "support/catch.hpp"
#include "unit/sweep/sweep_plan_fixture.hpp"

namespace sweep_plan_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

bool has(const std::string& text, const std::string& part) {
  INFO(text);
  CHECK(text.find(part) != std::string::npos);
  return text.find(part) != std::string::npos;
}

/// "mps=128 B lanes=1" of each point, a line each.
std::string table(const sweep::Plan& plan) {
  std::string out;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    for (const auto& c : plan.point(i).coordinates) out += c.axis + "=" + c.value + " ";
    out.back() = '\n';
  }
  return out;
}

const std::string mps = axis_text("mps", wire0 + "/max_payload_size", R"(["128 B", "256 B"])");
const std::string lanes = axis_text("lanes", wire0 + "/lanes", "[1, 4]");

}  // namespace

TEST_CASE("sweep: the last axis is the fastest") {
  CHECK(table(plan_of("\"axes\": [" + mps + "," + lanes + "]")) ==
        "mps=128 B lanes=1\nmps=128 B lanes=4\nmps=256 B lanes=1\nmps=256 B lanes=4\n");
}

TEST_CASE("sweep: a zip advances its axes together") {
  const auto plan =
      plan_of(R"("axes": [{"zip": [)" + mps + "," + lanes + "]}," + axis_text("seed", "/options/seed", "[1, 2]") + "]");
  CHECK(table(plan) ==
        "mps=128 B lanes=1 seed=1\nmps=128 B lanes=1 seed=2\nmps=256 B lanes=4 seed=1\nmps=256 B lanes=4 seed=2\n");
}

TEST_CASE("sweep: an axis may set several places") {
  const auto plan = plan_of(R"("axes": [{"name": "lanes", "paths": [")" + wire0 + "/lanes\", \"" + wire1 +
                            R"(/lanes"], "powers_of_two": {"from": 1, "to": 16}}])");
  REQUIRE(plan.size() == 5);
  const auto point = plan.point(2);
  REQUIRE(point.overrides.size() == 2);
  CHECK(point.overrides[0].pointer == wire0 + "/lanes");
  CHECK(point.overrides[1].pointer == wire1 + "/lanes");
  CHECK(point.overrides[1].value == "4");
}

TEST_CASE("sweep: values are derived from axes") {
  const auto plan = plan_of("\"axes\": [" + mps + "," + lanes + R"(], "derive": [
    {"path": ")" + wire0 + R"(/replay_buffer", "expression": "2*mps + 24*lanes", "unit": "B"},
    {"path": "/options/seed", "expression": "lanes + 1"},
    {"path": ")" + switch_a +
                            R"(/share", "expression": "lanes / 16"}])");
  const auto point = plan.point(3);
  REQUIRE(point.overrides.size() == 5);
  CHECK(point.overrides[0].pointer == "/options/seed");
  CHECK(point.overrides[0].value == "5");
  CHECK(point.overrides[1].value == "0.25");
  CHECK(point.overrides[4].value == "\"608 B\"");
  for (std::size_t i = 0; i < plan.size(); ++i) CHECK(plan.id(i) == id_by_reading(plan, plan.point(i)));
}

TEST_CASE("sweep: points are dropped") {
  CHECK(table(plan_of("\"axes\": [" + mps + "," + lanes + R"(], "drop": ["mps > 128 && lanes == 1"])")) ==
        "mps=128 B lanes=1\nmps=128 B lanes=4\nmps=256 B lanes=4\n");
  CHECK(table(plan_of("\"axes\": [" + mps + "," + lanes +
                      R"(], "drop": ["mps > 128 && lanes == 1", "lanes*mps <= 128"])")) ==
        "mps=128 B lanes=4\nmps=256 B lanes=4\n");
}

TEST_CASE("sweep: an expression without end is refused") {
  const std::string deep = std::string(40, '(') + "mps" + std::string(40, ')');
  has(plan_complaint("\"axes\": [" + mps + "], \"drop\": [\"" + deep + "\"]"), "at most 16 levels of parentheses");
  const std::string derive =
      R"("derive": [{"path": "/options/seed", "expression": "mps)" + std::string(2000, ' ') + "\"}]";
  has(plan_complaint("\"axes\": [" + mps + "], " + derive), "at most 2000 characters");
}

TEST_CASE("sweep: what only dropped points would derive is not judged") {
  const std::string derive = R"("derive": [{"path": "/options/seed", "expression": "128/mps"}])";
  has(plan_complaint("\"axes\": [" + mps + "], " + derive), "must be a whole number of 64 bits, not 0.5");
  CHECK(plan_complaint("\"axes\": [" + mps + R"(], "drop": ["mps > 128"], )" + derive).empty());
}

TEST_CASE("sweep: a place that only defaults have can be swept") {
  const auto plan = plan_of("\"axes\": [" + axis_text("size", "/scenario/sizes/1", R"(["1 KiB", "64 B"])") + "," +
                            axis_text("seed", "/options/seed", "[1]") + "]");
  CHECK(plan.id(0) == id_by_reading(plan, plan.point(0)));
  const auto run = config::read<RunConfig>(plan.document(plan.point(0)), plan_kinds());
  CHECK(run.scenario.as<LoadConfig>().sizes == std::vector<Bytes>{8_B, 1_KiB});
}

TEST_CASE("sweep: a value that its place refuses is told at its place in the sweep") {
  CHECK(plan_complaint("\"axes\": [" +
                       axis_text("mps", wire0 + "/max_payload_size", "[\"128 B\", \"100 B\", \"5 ns\", 7]") + "]") ==
        "s.json:7:105: /axes/0/values/1: " + wire0 +
            "/max_payload_size: must be one of 128 B, 256 B, 512 B, 1 KiB, 2 KiB, 4 KiB, not 100 B\n"
            "s.json:7:114: /axes/0/values/2: " +
            wire0 +
            "/max_payload_size: unknown unit \"ns\" in \"5 ns\"; a size takes one of: TiB, TB, GiB, GB, MiB, MB, KiB, "
            "kB, B\ns.json:7:122: /axes/0/values/3: " +
            wire0 + "/max_payload_size: needs a unit, for example \"256 B\"");
  has(plan_complaint("\"axes\": [" + axis_text("w", wire0, R"([{"kind": "pcie", "lane": 4}])") + "]"),
      "/axes/0/values/0: " + wire0 + ": unknown key \"lane\"; did you mean \"lanes\"?");
  // a range tells one fault, not hundreds
  const std::string many =
      plan_complaint(R"("axes": [{"name": "mps", "path": ")" + wire0 +
                     R"(/max_payload_size", "range": {"from": "1 B", "to": "99 B", "step": "1 B"}}])");
  has(many, "/axes/0/range: " + wire0 + "/max_payload_size: must be one of");
  CHECK(many.find('\n') == std::string::npos);
}

TEST_CASE("sweep: a kind that nobody knows is told before anything runs") {
  const auto kinds = [](const std::string& path, const std::string& values) {
    return plan_complaint("\"axes\": [" + axis_text("what", path, values) + "," +
                          axis_text("seed", "/options/seed", "[1, 2]") + "]");
  };
  has(kinds("/library/kind", R"(["none", "othr"])"),
      "/axes/0/values/1: /library: unknown kind \"othr\"; did you mean \"other\"?");
  has(kinds("/scenario/kind", R"(["load", "nope"])"), "/axes/0/values/1: /scenario: unknown kind \"nope\"");
  has(kinds(switch_a + "/kind", R"(["switch", "bufer"])"), "unknown kind \"bufer\"; did you mean \"buffer\"?");
  has(kinds("/library", R"([{"kind": "none"}, {"kind": "nope"}])"), "/axes/0/values/1: /library: unknown kind");
  CHECK(kinds("/library/kind", R"(["none", "other"])").empty());
}

TEST_CASE("sweep: a path that leads nowhere is told with what is there") {
  has(plan_complaint("\"axes\": [" + axis_text("x", wire0 + "/lane", "[1]") + "]"),
      "s.json:7:10: /axes/0: the run has no " + wire0 + "/lane: " + wire0 +
          ": unknown key \"lane\"; did you mean \"lanes\"?");
  has(plan_complaint("\"axes\": [" + axis_text("x", "/machine/topology/links/2/wire", "[1]") + "]"),
      "/machine/topology/links: \"2\" is no index of it: it has 2 elements");
  has(plan_complaint("\"axes\": [" + axis_text("x", wire0 + "/lanes/x", "[1]") + "]"), "has nothing below it");
  has(plan_complaint("\"axes\": [" + axis_text("x", "/machne", "[1]") + "]"),
      "the run has no /machne: at its top: unknown key \"machne\"; did you mean \"machine\"?");
  has(plan_complaint("\"axes\": [" + axis_text("x", "machne", "[1]") + "]"),
      "s.json:7:10: /axes/0: machne: there is no \"machne\"; did you mean \"machine\"?");
  has(plan_complaint("\"axes\": [" + axis_text("x", "/machine~2", "[1]") + "]"), "\"~\" is written ~0");
  CHECK(plan_complaint("\"axes\": [" +
                       axis_text("x", "/machine/topology/devices/box/devices/b~1c/size", "[\"1 KiB\"]") + "]")
            .empty());
}

TEST_CASE("sweep: what contradicts itself is told all at once") {
  const std::string twice = plan_complaint("\"axes\": [" + mps + "," + lanes + "," + lanes + "]");
  has(twice, "/axes/2: two axes are called \"lanes\"");
  has(twice, "/axes/2: axis \"lanes\" sets " + wire0 + "/lanes, which axis \"lanes\" sets already");
  has(plan_complaint(R"("axes": [{"zip": [)" + mps + "," + axis_text("lanes", wire0 + "/lanes", "[1, 4, 8]") + "]}]"),
      "/axes/0/zip/1: a zip of unequal lengths: \"mps\" has 2 values, \"lanes\" has 3");
  has(plan_complaint("\"axes\": [" + mps + R"(], "derive": [{"path": ")" + wire0 + R"(", "expression": "mps"}])"),
      "/derive/0: a derived value sets " + wire0 + ", which overlaps " + wire0 + "/max_payload_size of axis \"mps\"");
  has(plan_complaint(R"("axes": [{"name": "x", "paths": ["/machine", "/machine/name"], "values": ["a"]}])"),
      "overlaps /machine of axis \"x\"");
  const std::string nineteen = R"("range": {"from": 1, "to": 19, "step": 1}})";
  std::string axes;
  for (int i = 0; i < 6; ++i)
    axes += std::string(i == 0 ? "" : ",") + R"({"name": "x)" + std::to_string(i) + R"(", "path": ")" +
            (i < 2   ? (i == 0 ? wire0 : wire1) + "/internal_delay"
             : i < 4 ? switch_a + (i == 2 ? "/low" : "/high")
                     : (i == 4 ? "/options/seed" : wire0 + "/skip_symbols")) +
            "\", " + nineteen;
  has(plan_complaint("\"axes\": [" + axes + "]"), "a sweep of more than 10000000 points");
}

TEST_CASE("sweep: an expression is checked when the sweep is planned") {
  const auto derived = [](const std::string& expression) {
    return plan_complaint("\"axes\": [" + mps + "," + axis_text("kind", "/library/kind", R"(["none", "other"])") +
                          R"(], "derive": [{"path": "/options/seed", "expression": ")" + expression + "\"}]");
  };
  has(derived("2*mp + 1"),
      "/derive/0: in \"2*mp + 1\": unknown name \"mp\"; did you mean \"mps\"? known names: mps, kind");
  has(derived("2*mps +"), "/derive/0: in \"2*mps +\": Unexpected end of expression");
  has(derived("mps = 4"), "\"=\" would assign; equality is \"==\"");
  has(derived("2*kind"), "/axes/1/values/0: \"none\" is no number or quantity, so \"kind\" cannot stand in \"2*kind\"");
  has(derived("mps/(mps-128)"), "\"mps/(mps-128)\" is not finite for every point");
  has(derived("mps, 4"), "/derive/0: in \"mps, 4\": gives 2 values, not one");
  const auto dropped = [](const std::string& expression) {
    return plan_complaint("\"axes\": [" + mps + "], \"drop\": [\"" + expression + "\"]");
  };
  has(dropped("mps > 128, 0"), "/drop/0: in \"mps > 128, 0\": gives 2 values, not one");
  has(dropped("sqrt(mps - 256)"), "/drop/0: \"sqrt(mps - 256)\" is not finite for every point");
  has(dropped("1 / (mps - 128)"), "is not finite for every point");
  has(derived("mps/3"), "/derive/0: /options/seed: must be a whole number of 64 bits, not 42.6666666666667");
  has(plan_complaint("\"axes\": [" + mps + R"(], "derive": [{"path": ")" + wire0 +
                     R"(/replay_buffer", "expression": "mps/3", "unit": "B"}])"),
      "\"42.6666666666667 B\" is not a whole multiple of 1 B");
  has(plan_complaint("\"axes\": [" + mps + R"(], "derive": [{"path": ")" + wire0 +
                     R"(/replay_buffer", "expression": "mps", "unit": "ns"}])"),
      "unknown unit \"ns\" in \"128 ns\"");
  has(plan_complaint("\"axes\": [" + mps + R"(], "drop": ["lane > 1"])"), "/drop/0: in \"lane > 1\": unknown name");
  const std::string both = plan_complaint("\"axes\": [" + mps + R"(], "drop": ["lane > 1"],
    "derive": [{"path": "/options/seed", "expression": "mp"}])");
  has(both, "/drop/0: in \"lane > 1\"");
  has(both, "/derive/0: in \"mp\"");
  has(plan_complaint("\"axes\": [" + mps + R"(], "drop": ["mps > 1"])"), "/drop/0: no point is left of the sweep");
}

TEST_CASE("sweep: a value that is wrong alone but not with another is left to its points") {
  const auto plan = plan_of("\"axes\": [" + axis_text("low", switch_a + "/low", "[1, 10]") + "," +
                            axis_text("high", switch_a + "/high", "[5, 20]") + "]");
  CHECK(plan.id(3) == id_by_reading(plan, plan.point(3)));
  CHECK_THROWS_WITH(config::read<RunConfig>(plan.document(plan.point(2)), plan_kinds()),
                    Catch::Contains("\"low\" must not be above \"high\""));
}

TEST_CASE("sweep: a broken run is told as it is") {
  CHECK_THROWS_WITH(
      sweep::Plan(sweep::read_sweep(config::parse(
                      R"({"run": {"machine": 5}, "axes": [{"name": "a", "path": "/a", "values": [1]}]})", "s.json")),
                  plan_kinds(), "1.0"),
      Catch::Contains("s.json:1:21: /machine: must be an object, not a number"));
}

}  // namespace sweep_plan_test
