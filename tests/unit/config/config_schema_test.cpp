// SPDX-License-Identifier: Apache-2.0
// The schema is judged by an independent consumer, python3-jsonschema; without it those tests say so and pass.
#include <sys/wait.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "unit/config/config_fixture.hpp"

namespace config_schema_test {

using namespace world;
using config::json_schema;
using config::parse;
using nlohmann::ordered_json;

namespace {

const char* const judge = R"(
import json, sys
try:
    from jsonschema import Draft202012Validator as V
except ImportError:
    sys.exit(3)
schema = json.load(open('schema.json'))
V.check_schema(schema)
v = V(schema)
for case in json.load(open('cases.json')):
    good = v.is_valid(case['document'])
    if good != case['valid']:
        print(case, [e.message for e in v.iter_errors(case['document'])])
        sys.exit(1)
)";

/// Exit codes of the judge, and of a shell that finds no python3.
constexpr int no_jsonschema = 3;
constexpr int no_python = 127;

struct Case {
  bool valid;
  std::string document;
};

void check_cases(const ordered_json& schema, const std::vector<Case>& cases) {
  ordered_json list = ordered_json::array();
  for (const Case& c : cases) {
    list.push_back({{"valid", c.valid}, {"document", ordered_json::parse(c.document, nullptr, true, true)}});
  }
  const Folder folder({{"schema.json", schema.dump()}, {"cases.json", list.dump()}, {"judge.py", judge}});
  const int status = std::system("python3 judge.py");
  REQUIRE(WIFEXITED(status));
  if (WEXITSTATUS(status) == no_jsonschema || WEXITSTATUS(status) == no_python)
    WARN("python3-jsonschema is not there");
  else
    CHECK(WEXITSTATUS(status) == 0);
}

std::string machine(const std::string& more) {
  return R"({"name": "x", "topology": {"kind": "explicit", )" + more + "}}";
}

}  // namespace

TEST_CASE("a field's schema tells its type, default, range and doc") {
  const ordered_json s = json_schema<Link>(kinds(), "a link");
  CHECK(s["$schema"] == "https://json-schema.org/draft/2020-12/schema");
  CHECK(s["title"] == "a link");
  CHECK(s["additionalProperties"] == false);
  const auto& p = s["properties"];
  CHECK(p["lanes"].dump() ==
        R"({"type":"integer","enum":[1,2,4,8,16],"description":"lanes in use; one of 1, 2, 4, 8, 16",)"
        R"("default":8})");
  CHECK(p["flight"].dump() ==
        R"({"type":"string","pattern":"^[0-9]+(\\.[0-9]+)?([eE][-+]?[0-9]+)? ?(s|ms|us|ns|ps|fs)$",)"
        R"("description":"one-way cable delay; at most 10 us; ideal 0 ns","default":"5 ns"})");
  CHECK(p["policy"]["enum"].dump() == R"(["credits","stop_go","none"])");
  CHECK(p["policy"]["default"] == "credits");
  CHECK(p["from"].contains("default") == false);
  CHECK(s["else"]["required"].dump() == R"(["from"])");
}

TEST_CASE("the schema takes what the reader takes, and refuses what it refuses") {
  const ordered_json schema = json_schema<Machine>(kinds(), "a machine");
  std::vector<Case> cases{
      {true, machine_text},
      {true, machine(R"("devices": {})")},
      {false, machine(R"("links": [])")},
      {false, machine(R"("devices": {}, "zebra": 1)")},
      {false, machine(R"("devices": {"a": {"kind": "gqu"}})")},
      {false, machine(R"("devices": {"a": {}})")},
      {false, machine(R"("devices": {"a": {"kind": "gpu", "memory": 4096}})")},
      {false, machine(R"("devices": {"a": {"kind": "gpu", "memory": "4 ns"}})")},
      {false, machine(R"("devices": {"a": {"kind": "gpu", "count": 2}})")},
      {false, machine(R"("devices": {"a": {"kind": "group"}})")},
      {false, machine(R"("devices": {"$sources": {}})")},
      {false, machine(R"("devices": {"a": {"kind": "group", "devices": {"b": {"kind": "gpu", "zebra": 1}}}})")},
      {true,
       machine(R"("devices": {}, "links": [{"from": "a", "rate": "infinite"}, {"from": "b", "rate": "8 B/3 fs"}])")},
      {false, machine(R"("devices": {}, "links": [{"lanes": 4}])")},
      {false, machine(R"("devices": {}, "links": [{"from": "a", "lanes": 3}])")},
      {false, machine(R"("devices": {}, "links": [{"from": "a", "policy": "credit"}])")},
      {false, R"({"topology": {"kind": "explicit", "devices": {}}})"},
      {false, R"({"name": "x"})"},
      {false, "[]"},
  };
  for (const Case& c : cases) {
    INFO(c.document);
    CHECK(complaint(c.document).empty() == c.valid);
  }
  check_cases(schema, cases);
}

TEST_CASE("beside $use the schema demands nothing, at any depth, but still knows the keys") {
  check_cases(json_schema<Machine>(kinds(), "a machine"),
              {{true, R"({"$use": "m.json"})"},
               {true, R"({"$use": "m.json", "topology": {"links": [{"from": "a"}]}})"},
               {true, R"({"$use": "m.json", "topology": {"devices": {"a": {"credits": 3}}}})"},
               {true, R"({"name": "x", "topology": {"$use": "t.json", "devices": {"a": {"credits": 3}}}})"},
               {true, machine(R"("devices": {"$use": "d.json", "a": {"$use": "gpu.json", "credits": 3}})")},
               {false, R"({"$use": 3})"},
               {false, R"({"$use": "m.json", "zebra": 1})"},
               {false, R"({"$use": "m.json", "options": {"zebra": 1}})"},
               {false, R"({"name": "x", "topology": {"links": []}})"}});
}

TEST_CASE("the schema takes an element for a list where the reader does") {
  const ordered_json schema = json_schema<Several>(kinds(), "lists");
  const std::vector<Case> cases{{true, R"({"counts": 3, "blocks": "8 KiB"})"},
                                {true, R"({"counts": [3, 4], "blocks": ["8 KiB", "1 B"]})"},
                                {false, R"({"counts": 9})"},
                                {false, R"({"counts": [9]})"},
                                {false, R"({"counts": "3"})"},
                                {false, R"({"blocks": 8})"},
                                {false, R"({"blocks": "8 ns"})"}};
  for (const Case& c : cases) {
    INFO(c.document);
    CHECK(complaint<Several>(c.document).empty() == c.valid);
  }
  check_cases(schema, cases);
}

TEST_CASE("the schema knows $lines where strings are listed") {
  const auto with = [](const std::string& options) { return R"({"$use": "m.json", "options": )" + options + "}"; };
  check_cases(json_schema<Machine>(kinds(), "a machine"),
              {{true, with(R"({"tags": {"$lines": "tags.txt"}})")},
               {true, machine(R"("devices": {"a": {"kind": "gpu", "blocks": {"$lines": "blocks.txt"}}})")},
               {false, with(R"({"tags": {"$lines": 3}})")},
               {false, with(R"({"tags": {"$lines": "tags.txt", "more": 1}})")},
               {false, with(R"({"tags": {}})")},
               {false, with(R"({"sizes": {"$lines": "sizes.txt"}})")}});
}

TEST_CASE("the schema knows $sources") {
  const auto with = [](const std::string& sources) {
    return machine(R"("devices": {"a": {"kind": "gpu", "$sources": )" + sources + "}}");
  };
  const std::vector<Case> cases{
      {true, with(R"({"memory": {"class": "paper", "source": "s"}})")},
      {true,
       with(R"({"credits": {"class": "fitted", "source": "s", "range": [1, 2], "fitted_to": ["f"], "note": "n"}})")},
      {false, with(R"({"zebra": {"class": "paper", "source": "s"}})")},
      {false, with(R"({"kind": {"class": "paper", "source": "s"}})")},
      {false, with(R"({"memory": {"class": "guess", "source": "s"}})")},
      {false, with(R"({"memory": {"class": "paper"}})")},
      {false, with(R"({"memory": {"class": "assumed", "source": "s"}})")},
      {false, with(R"({"memory": {"class": "fitted", "source": "s", "range": ["1 B", "2 B"]}})")},
      {false, with(R"({"memory": {"class": "paper", "source": "s", "sauce": 1}})")},
  };
  for (const Case& c : cases) {
    INFO(c.document);
    CHECK(complaint(c.document).empty() == c.valid);
  }
  check_cases(json_schema<Machine>(kinds(), "a machine"), cases);
}

TEST_CASE("a resolved config fits the schema") {
  Machine m = config::read<Machine>(parse(machine_text, "m.json"), kinds());
  check_cases(json_schema<Machine>(kinds(), "a machine"), {{true, config::resolved(m).dump()}});
}

TEST_CASE("families that hold each other are defined once") {
  const ordered_json s = json_schema<Machine>(kinds(), "a machine");
  std::string names;
  for (const auto& item : s["$defs"].items()) names += item.key() + " ";
  CHECK(names == "$use $lines $sources topology topology_whole device device_whole ");
  CHECK_THROWS_AS(json_schema<Machine>(config::Kinds{}, "a machine"), std::logic_error);
}

}  // namespace config_schema_test
