// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "unit/config/config_fixture.hpp"

namespace config_override_test {

using namespace world;
using config::Override;
using config::parse;

namespace {

/// The document after overrides, as text; or the complaint.
std::string after(const std::string& text, const std::vector<Override>& overrides) {
  try {
    return config::to_json(parse(text, "m.json", overrides)).dump();
  } catch (const config::ConfigError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("an override replaces, adds and makes parents") {
  CHECK(after(R"({"a": 1})", {{"/a", "2"}}) == R"({"a":2})");
  CHECK(after(R"({"a": {"b": 1, "c": 2}})", {{"/a", R"({"d": 1})"}}) == R"({"a":{"d":1}})");
  CHECK(after(R"({})", {{"/a/b/c", "true"}}) == R"({"a":{"b":{"c":true}}})");
  CHECK(after(R"({"a": [{"b": 1}, 2]})", {{"/a/0/b", "5"}, {"/a/1", "[]"}}) == R"({"a":[{"b":5},[]]})");
  CHECK(after(R"({"a": 1})", {{"/a", "2"}, {"/a", "3"}}) == R"({"a":3})");
  CHECK(after(R"({"x/y": {"t~": 1}, "": 2})", {{"/x~1y/t~0", "5"}, {"/", "6"}}) == R"({"x/y":{"t~":5},"":6})");
}

TEST_CASE("an override's value is JSON, or else a string") {
  CHECK(after("{}", {{"/a", "120 ns"}}) == R"({"a":"120 ns"})");
  CHECK(after("{}", {{"/a", "\"120 ns\""}}) == R"({"a":"120 ns"})");
  CHECK(after("{}", {{"/a", "12"}, {"/b", ""}, {"/c", "null"}, {"/d", "a=b"}}) ==
        R"({"a":12,"b":"","c":null,"d":"a=b"})");
  CHECK(after("{}", {{"/a", R"({"x": 1, "x": 2})"}}) == "--set /a: duplicate key \"x\", first given in line 1");
}

TEST_CASE("an override that leads nowhere is told") {
  CHECK(after(R"({"a": [1, 2]})", {{"/a/2", "3"}}) == "--set /a/2: /a: \"2\" is no index of it: it has 2 elements");
  CHECK(after(R"({"a": [1]})", {{"/a/00", "3"}}) == "--set /a/00: /a: \"00\" is no index of it: it has 1 element");
  CHECK(after(R"({"a": []})", {{"/a/-", "3"}}) == "--set /a/-: /a: \"-\" is no index of it: it has 0 elements");
  CHECK(after(R"({"a": "s"})", {{"/a/b/c", "3"}}) == "--set /a/b/c: /a: it is a string and has nothing below it");
  CHECK(after("{}", {{"", "3"}}) == "--set : a JSON pointer starts with \"/\", for example /options/seed");
  CHECK(after("{}", {{"/a~2", "3"}}) == "--set /a~2: in a JSON pointer \"~\" is written ~0 and \"/\" inside a key ~1");
  CHECK(after("{}", {{"/a/$use", "f"}}) ==
        "--set /a/$use: \"$use\" can only be set with its object, as in /machine={\"$use\": \"FILE\"}");
}

TEST_CASE("the strict reader tells faults of overrides at their --set") {
  CHECK(complaint<Options>("{}", {{"/hihg", "3"}}) ==
        "--set /hihg: unknown key \"hihg\"; did you mean \"high\"? known keys: low, high, tags, sizes");
  CHECK(complaint<Options>(R"({"low": "x"})", {{"/high", "true"}}) ==
        "--set /high: must be a whole number, not a boolean\n"
        "m.json:1:9: /low: must be a whole number, not a string (\"x\")");
  CHECK(complaint<Link>(R"({"from": "a"})", {{"/flight", "5"}}) ==
        "--set /flight: needs a unit, for example \"120 ns\"");
  CHECK(complaint<Link>(R"({"from": "a"})", {{"/from", "7"}}) == "--set /from: must be a string, not a number");
  CHECK(
      complaint<Machine>(R"({"name": "x", "topology": {"kind": "explicit", "devices": {}}})", {{"/option/low", "3"}}) ==
      "--set /option/low: unknown key \"option\"; did you mean \"options\"? known keys: name, topology, options");
  CHECK(complaint<Link>(R"({"from": "a", "flight": 3})", {{"/flight", "3 ns"}}).empty());
}

TEST_CASE("an override may use a file, relative to the working directory") {
  const Folder folder(
      {{"p/gpu.json", R"({"kind": "gpu", "credits": 5})"}, {"m/m.json", R"({"d": {"kind": "x", "y": 1}})"}});
  CHECK(config::to_json(config::load("m/m.json", {{"/d", R"({"$use": "p/gpu.json", "peer": false})"}})).dump() ==
        R"({"d":{"kind":"gpu","credits":5,"peer":false}})");
  CHECK_THROWS_WITH(config::to_json(config::load("m/m.json", {{"/d", R"({"$use": "gpu.json"})"}})),
                    "--set /d: \"$use\" of \"gpu.json\" fails: No such file or directory");
}

TEST_CASE("POINTER=VALUE is split at the first equals sign") {
  CHECK(config::parse_override("/a/b=c=d").pointer == "/a/b");
  CHECK(config::parse_override("/a/b=c=d").value == "c=d");
  CHECK(config::parse_override("/a=").value.empty());
  CHECK_THROWS_WITH(config::parse_override("/a"), "--set /a: needs the form POINTER=VALUE");
  CHECK_THROWS_WITH(config::parse_override("=1"), "--set =1: POINTER is missing, for example /options/seed=7");
  CHECK(config::parse_override("[kind=gpu]/a=1").pointer == "[kind=gpu]/a");
  CHECK(config::parse_override("[kind=gpu]/a=[1]").value == "[1]");
  CHECK(config::parse_override("/a[b=1").pointer == "/a[b");
  CHECK_THROWS_WITH(config::parse_override("[kind=gpu]"), "--set [kind=gpu]: needs the form POINTER=VALUE");
}

}  // namespace config_override_test
