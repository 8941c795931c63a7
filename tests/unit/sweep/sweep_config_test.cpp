// SPDX-License-Identifier: Apache-2.0
#include "support/catch.hpp"
#include "unit/config/config_fixture.hpp"
#include "unit/sweep/sweep_plan_fixture.hpp"

namespace sweep_config_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

std::vector<std::pair<std::string, std::string>> files_with_run() { return {{"r.json", plan_run}}; }

std::string read_complaint(const std::string& text) {
  try {
    sweep::read_sweep(config::parse(text, "s.json"));
  } catch (const config::ConfigError& error) {
    return error.what();
  }
  return {};
}

std::string vary_complaint(const std::string& vary) {
  try {
    sweep::Plan(sweep::from_vary("r.json", {vary}), plan_kinds(), "1.0");
  } catch (const config::ConfigError& error) {
    return error.what();
  }
  return {};
}

bool has(const std::string& text, const std::string& part) {
  INFO(text);
  CHECK(text.find(part) != std::string::npos);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("sweep: a file names its run and its files relative to itself") {
  const world::Folder folder({{"runs/r.json", plan_run},
                              {"machines/m.json", R"({"name": "n", "topology": {"kind": "explicit", "devices": {}}})"},
                              {"sweeps/s.json", R"({
    // comments are allowed
    "title": "one line",
    "run": "../runs/r.json",
    "axes": [{"name": "machine", "path": "/machine", "files": ["../machines/m.json"]},
             {"name": "seed", "path": "/options/seed", "values": [1, 2]}]})"}});
  const sweep::Sweep s = sweep::load_sweep("sweeps/s.json");
  CHECK(s.name == "s");
  CHECK(s.title == "one line");
  CHECK(s.base.root.find("machine") != nullptr);
  CHECK(s.dimensions.at(0).at(0).values.at(0).json == R"({"$use":"machines/m.json"})");
  CHECK(s.dimensions.at(0).at(0).values.at(0).shown == "m");
  const sweep::Plan plan(s, plan_kinds(), "1.0");
  CHECK(plan.size() == 2);
  CHECK(config::read<RunConfig>(plan.document(plan.point(1)), plan_kinds()).machine.name == "n");
  CHECK(plan.id(1) == id_by_reading(plan, plan.point(1)));
}

TEST_CASE("sweep: a run may be written in the sweep and use a file") {
  const world::Folder folder(files_with_run());
  const sweep::Sweep s =
      sweep::read_sweep(config::parse(R"({"run": {"$use": "r.json", "options": {"seed": 7}}, "axes": [)" +
                                          axis_text("flight", wire0 + "/flight", R"(["1 ns", "2 ns"])") + "]}",
                                      "s.json"));
  const sweep::Plan plan(s, plan_kinds(), "1.0");
  CHECK(config::read<RunConfig>(plan.document(plan.point(0)), plan_kinds()).options.seed == 7);
}

TEST_CASE("sweep: files are shown by the shortest ends of their paths that tell them apart") {
  const auto shown = [](const std::string& values) {
    return values_of(
        sweep_of("\"axes\": [{\"name\": \"x\", \"path\": \"/machine\", " + values + "}]").dimensions[0][0]);
  };
  CHECK(shown(R"("files": ["../parts/pcie_gen1.json", "../parts/pcie_gen2.json"])") == "pcie_gen1 | pcie_gen2");
  CHECK(shown(R"("files": ["a/old/m.json", "a/new/m.json", "b/new/n.json"])") == "old/m | new/m | n");
  CHECK(shown(R"("files": ["m.json", "old/m.json", "./m.json"])") == "m | old/m | m");
  CHECK(shown(R"("files": ["/m.json", "gen.2", "gen.json"])") == "m | gen.2 | gen");
  const world::Folder folder(files_with_run());
  const sweep::Sweep varied = sweep::from_vary(
      "r.json", {R"(/machine={"$use": "old/m.json"},{"$use": "m.json"},{"$use": "m.json", "name": "x"},m)"});
  CHECK(values_of(varied.dimensions[0][0]) == R"(old/m | m | {"$use":"m.json","name":"x"} | m)");
}

TEST_CASE("sweep: values that are objects are shown by their labels, else by what differs in them") {
  const auto axis = [](const std::string& values) {
    return sweep_of("\"axes\": [{\"name\": \"x\", \"path\": \"/machine\", \"values\": [" + values + "]}]")
        .dimensions[0][0];
  };
  const auto shown = [&](const std::string& values) { return values_of(axis(values)); };
  const sweep::Axis labelled =
      axis(R"({"label": "one", "value": {"kind": "a", "n": 1}}, {"label": "two", "value": 7})");
  CHECK(values_of(labelled) == "one | two");
  CHECK(labelled.values[0].json == R"({"kind":"a","n":1})");
  CHECK(labelled.values[1].json == "7");
  CHECK(shown(R"({"kind": "a", "n": 1}, {"kind": "b", "n": 1})") == "a | b");
  CHECK(shown(R"({"kind": "a", "n": 1}, {"kind": "a", "n": 2}, {"kind": "b"})") == "a, n 1 | a, n 2 | b");
  CHECK(shown(R"({"kind": "a", "list": [1]}, {"kind": "a", "list": [2]})") ==
        R"({"kind":"a","list":[1]} | {"kind":"a","list":[2]})");
  CHECK(shown(R"({"label": "one", "value": {"kind": "a"}}, {"kind": "b"})") == R"(one | {"kind":"b"})");
  CHECK(shown(R"({"label": "one", "other": 1}, "x")") == R"({"label":"one","other":1} | x)");
  CHECK(read_complaint(R"({"run": {}, "axes": [{"name": "x", "path": "/a", "values": [{"label": 1, "value": 2}]}]})") ==
        "s.json:1:61: /axes/0/values/0: a \"label\" is a text");
}

TEST_CASE("sweep: --set sets values of the run, what varies it must not") {
  const world::Folder folder(
      {{"r.json", plan_run},
       {"s.json", R"({"run": "r.json", "axes": [)" + axis_text("lanes", wire0 + "/lanes", "[1, 4]") +
                      R"(], "derive": [{"path": "/options/max_train",
                                                                   "expression": "lanes"}]})"}});
  const auto plan_with = [](const std::string& pointer, const std::string& value) {
    return sweep::Plan(sweep::load_sweep("s.json", {{pointer, value}}), plan_kinds(), "1.0");
  };
  const sweep::Plan changed = plan_with("/options/seed", "7");
  CHECK(config::read<RunConfig>(changed.document(changed.point(1)), plan_kinds()).options.seed == 7);
  CHECK(changed.id(1) != sweep::Plan(sweep::load_sweep("s.json"), plan_kinds(), "1.0").id(1));
  CHECK_THROWS_WITH(plan_with(wire0 + "/lanes", "8"),
                    "--set " + wire0 + "/lanes: axis \"lanes\" sets " + wire0 + "/lanes; leave out one of the two");
  CHECK_THROWS_WITH(plan_with("/options/max_train", "8"), Catch::Contains("a derived value sets /options/max_train"));
  CHECK_THROWS_WITH(plan_with("/axes/0/values", "[2]"), Catch::Contains("unknown key \"axes\""));
  CHECK_THROWS_WITH(plan_with("/options/sed", "7"), Catch::Contains("did you mean \"seed\""));
  CHECK(plan_with("/options", R"({"seed": 7})").size() == 2);  // an axis inside it is none that hides it
  const auto varied = [](const std::string& set) {
    return sweep::Plan(sweep::from_vary("r.json", {wire0 + R"(={"kind":"pcie"})"}, {{set, "1"}}), plan_kinds(), "1.0");
  };
  CHECK_THROWS_WITH(varied(wire0 + "/lanes"), Catch::Contains("axis \"wire\" sets " + wire0 + ";"));
  CHECK(varied(wire1 + "/lanes").size() == 1);
}

TEST_CASE("sweep: what is wrong with a file is told with line, column and what was meant") {
  CHECK(read_complaint(R"({"axes": []})") ==
        "s.json:1:1: missing required field \"run\" (the run that varies: a file relative to this one, or an object)");
  has(read_complaint(R"({"run": 5, "axes": []})"), "s.json:1:9: /run: must be a string, not a number");
  CHECK(read_complaint(R"({"run": "no.json", "axes": [{"name": "a", "path": "/a", "values": [1]}]})") ==
        "s.json:1:9: /run: there is no file \"no.json\"");
  has(read_complaint(sweep_text("\"axes\": []")), "a sweep needs at least one axis");
  has(read_complaint(sweep_text(R"("axes": [{"nam": "a", "path": "/a", "values": [1]}])")),
      R"(s.json:7:11: /axes/0: unknown key "nam"; did you mean "name"? known keys: name, path, paths, values)");
  has(read_complaint(sweep_text(R"("axes": [{"name": "a b", "path": "/a", "values": [1]}])")), "\"a b\" is no name");
  has(read_complaint(sweep_text(R"("axes": [{"name": "a", "values": [1]}])")), R"(needs either "path" or "paths")");
  has(read_complaint(sweep_text(R"("axes": [{"name": "a", "path": "/a"}])")), "axis \"a\" has no values");
  has(read_complaint(sweep_text(R"("axes": [{"name": "a", "path": "/a", "values": []}])")), "axis \"a\" has no values");
  has(read_complaint(sweep_text(R"("axes": [{"name": "a", "path": "/a", "values": [1], "files": ["f"]}])")),
      "from only one of");
  has(read_complaint(sweep_text(R"("axes": [{"name": "a", "zip": [{"name": "b", "path": "/b", "values": [1]}]}])")),
      "a zip has nothing beside it");
  has(read_complaint(sweep_text(R"("axes": [{"name": "a", "path": "/a", "values": [1]}], "derive": [{"path": "/b"}])")),
      "missing required field \"expression\"");
}

TEST_CASE("sweep: --vary gives an axis an option") {
  const world::Folder folder(files_with_run());
  const sweep::Sweep s =
      sweep::from_vary("r.json", {wire0 + "/max_payload_size=128B, \"256 B\"",
                                  "/scenario/sizes=[\"8 B\",\"16 B\"],[\"1 KiB\"]", "/options/seed=1,2,3"});
  REQUIRE(s.dimensions.size() == 3);
  CHECK(s.dimensions[0][0].name == "max_payload_size");
  CHECK(values_of(s.dimensions[0][0]) == "128B | 256 B");
  CHECK(values_of(s.dimensions[1][0]) == R"(["8 B","16 B"] | ["1 KiB"])");
  const sweep::Plan plan(s, plan_kinds(), "1.0");
  CHECK(plan.size() == 12);
  CHECK(plan.axes() == std::vector<std::string>{"max_payload_size", "sizes", "seed"});
  CHECK(plan.point(11).coordinates.at(2).value == "3");
  CHECK(plan.point(11).overrides.at(0).pointer == "/scenario/sizes");  // the least deep first
  CHECK(plan.id(5) == id_by_reading(plan, plan.point(5)));
}

TEST_CASE("sweep: axes of --vary have the shortest names that differ") {
  const world::Folder folder(files_with_run());
  const sweep::Sweep s =
      sweep::from_vary("r.json", {wire0 + "/lanes=1,2", wire1 + "/lanes=1,2", "/scenario/loads/0=\"1 %\""});
  CHECK(s.dimensions[0][0].name == "links/0/wire/lanes");
  CHECK(s.dimensions[1][0].name == "links/1/wire/lanes");
  CHECK(s.dimensions[2][0].name == "loads/0");
}

TEST_CASE("sweep: what is wrong with --vary is told with the option") {
  const world::Folder folder(files_with_run());
  CHECK(vary_complaint("/options/seed") ==
        "--vary /options/seed: needs the form POINTER=VALUE,VALUE,..., for example /options/seed=1,2,3");
  CHECK(vary_complaint("/options/seed=1,,2") == "--vary /options/seed: a value is empty");
  CHECK(vary_complaint("/options/sed=1") ==
        "--vary /options/sed: the run has no /options/sed: /options: unknown key \"sed\"; did you mean \"seed\"? known "
        "keys: seed, max_train, limit_simulated_time");
  CHECK(vary_complaint(wire0 + "/flight=5 ns,5 B") ==
        "--vary " + wire0 +
            "/flight: unknown unit \"B\" in \"5 B\"; a time takes one of: s, ms, us, ns, ps, fs; or the length of "
            "the cable, for example \"3 m\"");
}

TEST_CASE("sweep: the schema takes any JSON as a value, and a run in place") {
  const auto properties = sweep::sweep_schema()["properties"];
  CHECK(properties["run"]["type"].dump() == R"(["string","object"])");
  const auto axis = properties["axes"]["items"]["properties"];
  CHECK(axis["values"]["items"].empty());
  CHECK(axis["range"]["properties"]["step"]["type"].dump() == R"(["number","string"])");
  CHECK(axis["zip"]["items"]["properties"]["values"]["items"].empty());
  CHECK(axis["path"]["type"] == "string");
}

}  // namespace sweep_config_test
