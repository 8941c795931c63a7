// SPDX-License-Identifier: Apache-2.0
// Schemas of parts are judged by an independent consumer, python3-jsonschema; without it those tests say so and pass.
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace schema_test {

using namespace tsunagi::test;
using nlohmann::json;

namespace {

const char* const judge = R"(
import json, sys
try:
    from jsonschema import Draft202012Validator as V
except ImportError:
    sys.exit(3)
given = json.load(open(sys.argv[1]))
known = set()  # definitions, of which schemas share most: each is checked once
for schema in given['schemas']:
    new = {n: json.dumps(d) for n, d in schema.get('$defs', {}).items()}
    V.check_schema({**schema, '$defs': {n: schema['$defs'][n] for n in new if new[n] not in known}})
    known.update(new.values())
validators = [V(schema) for schema in given['schemas']]
for case in given['cases']:
    v = validators[case['schema']]
    if v.is_valid(case['document']) != case['valid']:
        print(case['name'], [e.message for e in v.iter_errors(case['document'])])
        sys.exit(1)
)";

json schema(std::vector<std::string> words) {
  words.insert(words.begin(), "schema");
  const Ended end = run_program(words);
  INFO(end.err);
  REQUIRE(end.exit_code == 0);
  return json::parse(end.out);
}

json read(const std::filesystem::path& file) { return json::parse(content(file), nullptr, true, true); }

/// Documents and whether a schema accepts them, for all of which one process judges. Schemas are large: each is kept
/// and checked once.
class Cases {
 public:
  std::size_t add_schema(json schema) {
    schemas_.push_back(std::move(schema));
    return schemas_.size() - 1;
  }
  void add(const std::string& name, std::size_t schema, const json& document, bool valid) {
    cases_.push_back({{"name", name}, {"schema", schema}, {"document", document}, {"valid", valid}});
  }
  std::size_t size() const { return cases_.size(); }

  void judge_all() const {
    const TemporaryFolder folder;
    const std::string given = json{{"schemas", schemas_}, {"cases", cases_}}.dump();
    const std::string command =
        "python3 " + folder.write("judge.py", judge).string() + " " + folder.write("cases.json", given).string();
    const int status = std::system(command.c_str());
    REQUIRE(WIFEXITED(status));
    constexpr int no_jsonschema = 3;
    constexpr int no_python = 127;
    if (WEXITSTATUS(status) == no_jsonschema || WEXITSTATUS(status) == no_python)
      WARN("python3-jsonschema is not there");
    else
      CHECK(WEXITSTATUS(status) == 0);
  }

 private:
  json schemas_ = json::array();
  json cases_ = json::array();
};

/// family -> kind -> number of its schema
using Kinds = std::map<std::string, std::map<std::string, std::size_t>>;

/// The families whose kinds include that of a part file, which may be that of a file which it uses.
std::vector<std::string> families_of(const std::filesystem::path& file, const Kinds& of_kinds) {
  json part = read(file);
  for (std::filesystem::path at = file; !part.contains("kind");) {
    at = at.parent_path() / part.at("$use").get<std::string>();
    part = read(at);
  }
  std::vector<std::string> out;
  for (const auto& [family, kinds] : of_kinds)
    if (kinds.count(part.at("kind")) != 0) out.push_back(family);
  return out;
}

}  // namespace

TEST_CASE("parts that come with the program are valid by the schemas of their families and kinds") {
  Cases cases;
  Kinds of_kinds;
  std::map<std::string, std::size_t> of_family;
  for (const char* family : {"device", "wire", "topology", "library", "scenario"}) {
    const json all = schema({family});
    of_family[family] = cases.add_schema(all);
    for (const json& kind : all["$defs"][family]["properties"]["kind"]["enum"])
      of_kinds[family][kind.get<std::string>()] = cases.add_schema(schema({family, kind.get<std::string>()}));
  }
  const std::size_t any = cases.add_schema(schema({"part"}));
  const std::size_t tables = cases.add_schema(schema({"tables"}));
  for (const char* folder : {"parts", "scenarios"})
    for (const auto& entry : std::filesystem::directory_iterator(TSUNAGI_TEST_CONFIGS + std::string("/") + folder)) {
      const json part = read(entry.path());
      const std::string name = entry.path().filename().string();
      const bool is_table = !part.contains("kind") && !part.contains("$use");  // algorithms of collective calls
      cases.add(name, any, part, !is_table);
      if (is_table) {
        json wrong = part;
        wrong["no such key"] = json::array();
        cases.add(name, tables, part, true);
        cases.add(name + " with a wrong key", tables, wrong, false);
        continue;
      }
      const std::vector<std::string> families = families_of(entry.path(), of_kinds);
      REQUIRE(!families.empty());  // "tca" is a library and a topology, too, of which there are no parts
      cases.add(name, of_family[families[0]], part, true);
      if (!part.contains("kind")) continue;
      json wrong = part;
      wrong["no such key"] = 1;
      const std::size_t own = of_kinds[families[0]][part["kind"].get<std::string>()];
      cases.add(name, own, part, true);
      for (const std::size_t of : {own, any, of_family[families[0]]})
        cases.add(name + " with a wrong key", of, wrong, false);
    }
  REQUIRE(cases.size() > 300);
  cases.judge_all();
}

TEST_CASE("a kind's schema asks for that kind and for what it must have") {
  const json copy = schema({"scenario", "copy"});
  Cases cases;
  const std::size_t of = cases.add_schema(copy);
  const auto one = [&](const char* text, bool valid) { cases.add(text, of, json::parse(text), valid); };
  one(R"({"kind": "copy", "source": "gpu0", "target": "fpga0"})", true);
  one(R"({"kind": "copy", "source": "gpu0"})", false);
  one(R"({"source": "gpu0", "target": "gpu1"})", false);
  one(R"({"kind": "put", "source": "gpu0", "target": "gpu1"})", false);
  one(R"({"$use": "copy.json", "iterations": 7})", true);
  cases.judge_all();
  CHECK(copy.at("title").get<std::string>().rfind("copy: ", 0) == 0);
}

TEST_CASE("schemas of what there is not name what there is") {
  const auto refused = [](std::vector<std::string> words, const std::string& says) {
    words.insert(words.begin(), "schema");
    const Ended end = run_program(words);
    CHECK(end.exit_code == 2);
    CHECK(end.out.empty());
    CHECK_THAT(end.err, Catch::Contains(says));
  };
  refused({"device", "peach"}, "unknown device \"peach\"; did you mean \"peach2\"?");
  refused({"devise"}, "unknown file type \"devise\"; did you mean \"device\"?");
  refused({"run", "ping_pong"}, "a run has no kinds; families that have: device, wire,");
  refused({"scenario", "ping_pong", "now"}, "unexpected \"now\"");
}

}  // namespace schema_test
