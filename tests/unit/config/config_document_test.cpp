// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "unit/config/config_fixture.hpp"

namespace config_document_test {

using namespace world;
using config::ConfigError;
using config::load;
using config::parse;

namespace {

/// What loading `file` and reading it as a C complains of.
template <class C = Machine>
std::string load_complaint(const std::string& file) {
  try {
    return complaint<C>(load(file));
  } catch (const ConfigError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("every value knows its line and column") {
  const auto d = parse(
      "\xEF\xBB\xBF{ // c \"x\": 1 {\n \"a\" : [ 12, /* , \n */ -3.5e1 , true, null,\"\\\"\\\\\" "
      "],\n\t\"\\u00e4\xC3\xA4\": {}\n}",
      "m.json");
  const auto at = [](const config::Value& v) { return v.place.text(); };
  const config::Value& a = *d.root.find("a");
  CHECK(at(d.root) == "m.json:1:1");
  CHECK(d.root.members[0].place.text() == "m.json:2:2");
  CHECK(at(a) == "m.json:2:8");
  CHECK(at(a.items[0]) == "m.json:2:10");
  CHECK(at(a.items[1]) == "m.json:3:5");
  CHECK(at(a.items[2]) == "m.json:3:14");
  CHECK(at(a.items[3]) == "m.json:3:20");
  CHECK(at(a.items[4]) == "m.json:3:25");
  CHECK(a.items[0].integer == 12);
  CHECK(a.items[1].text == "-3.5e1");
  CHECK(a.items[4].text == "\"\\");
  CHECK(d.root.members[1].name == "\xC3\xA4\xC3\xA4");
  CHECK(at(d.root.members[1].value) == "m.json:4:13");  // columns count characters
  CHECK(d.problems.empty());
}

TEST_CASE("text that is no JSON is one message with its place") {
  CHECK(complaint("{\n  \"a\": 1,\n}") ==
        "m.json:3:1: syntax error while parsing object key - unexpected '}'; expected string literal");
  CHECK(complaint("{\"a\" 1}") ==
        "m.json:1:6: syntax error while parsing object separator - unexpected number literal; "
        "expected ':'");
  CHECK(complaint("{} x").find("m.json:1:4: syntax error while parsing value - invalid literal") == 0);
  CHECK(complaint("{}\n{}").find("m.json:2:1: syntax error while parsing value - unexpected '{'") == 0);
  CHECK(complaint("").find("m.json:1:1: syntax error while parsing value - unexpected end of input") == 0);
  CHECK(complaint("{\"a\": \"b").find("m.json:1:7: syntax error while parsing value - invalid string") == 0);
  CHECK(complaint("{\"a\": [1, 2").find("m.json:1:12: syntax error while parsing array - unexpected end of input") ==
        0);
  CHECK(complaint("{\"a\": 1e999}").find("m.json:1:7: number overflow parsing '1e999'") == 0);
  CHECK(complaint("{\"a\": /* open").find("m.json:1:") == 0);
  CHECK(complaint("{\"a\": 01}").find("m.json:1:7: ") == 0);
  CHECK(complaint(std::string("{\"a\": \"\xff\"}")).find("m.json:1:7: ") == 0);
  CHECK(complaint(std::string(300, '[')) == "m.json:1:41: nested deeper than 40 levels");
}

TEST_CASE("duplicate keys are faults like any other") {
  CHECK(complaint<Options>("{\n \"low\": 1,\n \"low\": {\"a\": 1, \"a\": 2},\n \"tags\": [],\n \"hi\": 1}") ==
        "m.json:3:2: duplicate key \"low\", first given in line 2\n"
        "m.json:3:18: /low: duplicate key \"a\", first given in line 3\n"
        "m.json:5:2: unknown key \"hi\"; known keys: low, high, tags, sizes");
  const auto d = parse(R"({"low": 1, "low": 2})", "m.json");
  CHECK_THROWS_WITH(config::to_json(d), "m.json:1:12: duplicate key \"low\", first given in line 1");
  CHECK_THROWS_AS(config::provenance(d), ConfigError);
}

TEST_CASE("files that cannot be read are told") {
  const Folder folder({{"dir/x.json", "{}"}, {"empty.json", ""}});
  CHECK(load_complaint("none.json") == "none.json: cannot be read: No such file or directory");
  CHECK(load_complaint("dir") == "dir: cannot be read: is a directory");
  CHECK(load_complaint("empty.json").find("empty.json:1:1: syntax error") == 0);
}

TEST_CASE("$use lays an object over a file's") {
  const Folder folder({
      {"m.json", R"({"$use": "parts/base.json", "options": {"high": 32, "sizes": [9]}, "name": "mine"})"},
      {"parts/base.json", R"({"$schema": "x", "name": "base",
        "topology": {"kind": "explicit", "devices": {"a": {"$use": "chips/gpu.json", "credits": 7}}},
        "options": {"low": 3, "high": 9, "sizes": [1, 2, 3]}})"},
      {"parts/chips/gpu.json", R"({"kind": "gpu", "credits": 5, "memory": "1 GiB"})"},
  });
  const auto m = config::read<Machine>(load("m.json"), kinds());
  CHECK(m.name == "mine");
  CHECK(m.options.low == 3);
  CHECK(m.options.high == 32);
  CHECK(m.options.sizes == std::vector<std::int64_t>{9});
  const Gpu& gpu = m.topology.as<Explicit>().devices.at(0).second.as<Gpu>();
  CHECK(gpu.credits == 7);
  CHECK(gpu.memory == 1_GiB);
  CHECK(config::to_json(load("m.json")).dump() ==
        R"({"name":"mine","topology":{"kind":"explicit","devices":{"a":{"kind":"gpu","credits":7,"memory":"1 GiB"}}},)"
        R"("options":{"low":3,"high":32,"sizes":[9]}})");
}

TEST_CASE("a fault in a used file is told at its place there, once") {
  const Folder folder({
      {"m.json", R"({"name": "x", "topology": {"kind": "explicit", "devices": {
        "a": {"$use": "gpu.json"}, "b": {"$use": "gpu.json", "credits": 0}}}})"},
      {"gpu.json", "{\"kind\": \"gpu\",\n \"memory\": \"1 B\"}"},
  });
  CHECK(load_complaint("m.json") ==
        "gpu.json:2:12: /topology/devices/a/memory: must be 1 KiB to 512 GiB, not 1 B\n"
        "m.json:2:73: /topology/devices/b/credits: must be at least 1, not 0");
}

TEST_CASE("$use that fails is told alone, without what is missing because of it") {
  const Folder folder({
      {"gone.json", "{\n \"$use\": \"x/none.json\", \"options\": {\"zebra\": 1}, \"topology\": {\"links\": [] }}"},
      {"bad.json", R"({"name": "x", "topology": {"$use": "broken.json"}})"},
      {"broken.json", "{\n  \"kind\" \"explicit\"}"},
      {"array.json", R"({"$use": "list.json"})"},
      {"list.json", "[]"},
      {"number.json", R"({"$use": 3})"},
      {"folder.json", R"({"$use": "."})"},
  });
  CHECK(load_complaint("gone.json") ==
        "gone.json:2:10: \"$use\" of \"x/none.json\" fails: No such file or directory\n"
        "gone.json:2:37: /options: unknown key \"zebra\"; known keys: low, high, tags, sizes");
  CHECK(load_complaint("bad.json") ==
        "broken.json:2:10: /topology: syntax error while parsing object separator - unexpected string literal; "
        "expected ':'");
  CHECK(load_complaint("array.json") ==
        "array.json:1:10: \"$use\" of \"list.json\" fails: it holds an array, not an object");
  CHECK(load_complaint("number.json") == "number.json:1:10: \"$use\" must be a file name");
  CHECK(load_complaint("folder.json").find("folder.json:1:10: \"$use\" of ") == 0);
  CHECK(load_complaint("folder.json").find("fails: is a directory") != std::string::npos);
}

TEST_CASE("a $use cycle prints its chain") {
  const Folder folder({
      {"m.json", R"({"name": "x", "topology": {"$use": "parts/a.json"}})"},
      {"parts/a.json", "{\n  \"$use\": \"b.json\"}"},
      {"parts/b.json", "{\"kind\": \"explicit\",\n \"devices\": {\"d\": {\"$use\": \"./../parts/a.json\"}}}"},
      {"self.json", R"({"$use": "self.json"})"},
  });
  CHECK(load_complaint("m.json") ==
        "parts/b.json:2:28: /topology/devices/d: \"$use\" goes round in a circle: parts/a.json -> parts/b.json -> "
        "parts/a.json");
  CHECK(load_complaint("self.json") == "self.json:1:10: \"$use\" goes round in a circle: self.json -> self.json");
}

TEST_CASE("the key order of a file is kept") {
  CHECK(config::to_json(parse(R"({"z": 1, "a": [1.5, null, true, "s"], "m": {"y": -2, "b": 0}})", "m")).dump() ==
        R"({"z":1,"a":[1.5,null,true,"s"],"m":{"y":-2,"b":0}})");
}

TEST_CASE("a message carries its parts") {
  try {
    config::read<Options>(parse("{\n\"lo/w\": 1}", "m.json"), kinds());
    FAIL("read it");
  } catch (const ConfigError& error) {
    REQUIRE(error.messages().size() == 1);
    CHECK(*error.messages()[0].place.file == "m.json");
    CHECK(error.messages()[0].place.line == 2);
    CHECK(error.messages()[0].place.column == 1);
    CHECK(error.messages()[0].pointer.empty());
  }
  CHECK(config::below("/a", "b/c~d") == "/a/b~1c~0d");
}

}  // namespace config_document_test
