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
for schema in given['schemas']:
    V.check_schema(schema)
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

/// {"name", "schema", "document", "valid"} each. The judge reads each schema once: they are large.
void judge_all(json cases) {
  json schemas = json::array();
  std::map<std::string, std::size_t> known;
  for (json& one : cases) {
    const auto [at, fresh] = known.try_emplace(one["schema"].dump(), schemas.size());
    if (fresh) schemas.push_back(one["schema"]);
    one["schema"] = at->second;
  }
  const TemporaryFolder folder;
  const std::string given = json{{"schemas", schemas}, {"cases", cases}}.dump();
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

/// The families whose kinds include that of a part file, which may be that of a file which it uses.
std::vector<std::string> families_of(const std::filesystem::path& file, const json& of_kinds) {
  json part = read(file);
  for (std::filesystem::path at = file; !part.contains("kind");) {
    at = at.parent_path() / part.at("$use").get<std::string>();
    part = read(at);
  }
  std::vector<std::string> out;
  for (const auto& [family, kinds] : of_kinds.items())
    if (kinds.contains(part.at("kind"))) out.push_back(family);
  return out;
}

}  // namespace

TEST_CASE("parts that come with the program are valid by the schemas of their families and kinds") {
  json of_kinds;  // family -> kind -> its schema
  json of_family;
  for (const char* family : {"device", "wire", "topology", "library", "scenario"}) {
    of_family[family] = schema({family});
    for (const json& kind : of_family[family]["$defs"][family]["properties"]["kind"]["enum"])
      of_kinds[family][kind.get<std::string>()] = schema({family, kind.get<std::string>()});
  }
  const json any = schema({"part"});
  const json tables = schema({"tables"});
  json cases = json::array();
  for (const char* folder : {"parts", "scenarios"})
    for (const auto& entry : std::filesystem::directory_iterator(TSUNAGI_TEST_CONFIGS + std::string("/") + folder)) {
      const json part = read(entry.path());
      const std::string name = entry.path().filename().string();
      cases.push_back({{"name", name}, {"schema", any}, {"document", part}, {"valid", true}});
      if (!part.contains("kind") && !part.contains("$use")) {  // algorithms of collective calls
        json wrong = part;
        wrong["no such key"] = json::array();
        cases.back()["valid"] = false;
        cases.push_back({{"name", name}, {"schema", tables}, {"document", part}, {"valid", true}});
        cases.push_back(
            {{"name", name + " with a wrong key"}, {"schema", tables}, {"document", wrong}, {"valid", false}});
        continue;
      }
      const std::vector<std::string> families = families_of(entry.path(), of_kinds);
      REQUIRE(!families.empty());  // "tca" is a library and a topology, too, of which there are no parts
      cases.push_back({{"name", name}, {"schema", of_family[families[0]]}, {"document", part}, {"valid", true}});
      if (!part.contains("kind")) continue;
      json wrong = part;
      wrong["no such key"] = 1;
      const json& own = of_kinds[families[0]][part["kind"].get<std::string>()];
      cases.push_back({{"name", name}, {"schema", own}, {"document", part}, {"valid", true}});
      for (const json& of : {own, any, of_family[families[0]]})
        cases.push_back({{"name", name + " with a wrong key"}, {"schema", of}, {"document", wrong}, {"valid", false}});
    }
  REQUIRE(cases.size() > 300);
  judge_all(cases);
}

TEST_CASE("a kind's schema asks for that kind and for what it must have") {
  const json copy = schema({"scenario", "copy"});
  const auto one = [&](const char* text, bool valid) {
    return json{{"name", text}, {"schema", copy}, {"document", json::parse(text)}, {"valid", valid}};
  };
  judge_all({one(R"({"kind": "copy", "source": "gpu0", "target": "fpga0"})", true),
             one(R"({"kind": "copy", "source": "gpu0"})", false), one(R"({"source": "gpu0", "target": "gpu1"})", false),
             one(R"({"kind": "put", "source": "gpu0", "target": "gpu1"})", false),
             one(R"({"$use": "copy.json", "iterations": 7})", true)});
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
