// SPDX-License-Identifier: Apache-2.0
#include "compare/settings.hpp"
#include "support/catch.hpp"

namespace compare_settings_test {

using namespace tsunagi::compare;
using nlohmann::ordered_json;

namespace {

std::string said(const char* a, const char* b) {
  return text(differences(ordered_json::parse(a), ordered_json::parse(b)));
}

}  // namespace

TEST_CASE("a setting that differs is its pointer and both values") {
  CHECK(said(R"({"options": {"seed": 1, "max_train": 64}})", R"({"options": {"seed": 2, "max_train": 64}})") ==
        "/options/seed: 1 -> 2\n");
  CHECK(said(R"({"a/b": "10 ns"})", R"({"a/b": "20 ns"})") == "/a~1b: 10 ns -> 20 ns\n");
  CHECK(said(R"({"a": null})", R"({"a": [1]})") == "/a: null -> [1]\n");
  CHECK(said("{}", "{}").empty());
}

TEST_CASE("the order of keys, and name and title of the run, are no difference") {
  CHECK(said(R"({"name": "x", "title": "y", "a": 1, "b": 2})", R"({"name": "z", "b": 2, "a": 1})").empty());
  CHECK(said(R"({"machine": {"name": "x"}})", R"({"machine": {"name": "y"}})") == "/machine/name: x -> y\n");
}

TEST_CASE("a part that only one has, or that is of another kind, is one line") {
  CHECK(said(R"({"devices": {}})", R"({"devices": {"gpu0": {"kind": "gpu", "clock": "1 GHz"}}})") ==
        "/devices/gpu0: only in B: gpu\n");
  CHECK(said(R"({"x": {"a": 1, "b": 2}})", "{}") == "/x: only in A: {\"a\":1,\"b\":2}\n");
  CHECK(said(R"({"wire": {"kind": "link", "rate": 1}})", R"({"wire": {"kind": "pcie", "lanes": 8}})") ==
        "/wire: link -> pcie\n");
}

TEST_CASE("items of lists are matched from both ends") {
  CHECK(said(R"({"l": [{"a": 1}, {"a": 2}, {"a": 3}]})", R"({"l": [{"a": 1}, {"a": 9}, {"a": 2}, {"a": 3}]})") ==
        "/l/1: only in B: {\"a\":9}\n");
  CHECK(said(R"({"l": [{"a": 1}, {"a": 2}, {"a": 3}]})", R"({"l": [{"a": 1}, {"a": 3}]})") ==
        "/l/1: only in A: {\"a\":2}\n");
  CHECK(said(R"({"l": [{"a": 1}, {"a": 2}]})", R"({"l": [{"a": 1}, {"a": 5}]})") == "/l/1/a: 2 -> 5\n");
  CHECK(said(R"({"l": [{"a": 1}]})", R"({"l": []})") == "/l/0: only in A: {\"a\":1}\n");
}

TEST_CASE("a list of plain values is one setting") {
  CHECK(said(R"({"sizes": ["8 B", "16 B"]})", R"({"sizes": ["8 B", "1 MiB"]})") ==
        "/sizes: [\"8 B\", \"16 B\"] -> [\"8 B\", \"1 MiB\"]\n");
}

TEST_CASE("the same change at many places is one line") {
  CHECK(said(R"({"links": [{"wire": {"lanes": 8}}, {"wire": {"lanes": 8}}, {"wire": {"lanes": 4}}]})",
             R"({"links": [{"wire": {"lanes": 4}}, {"wire": {"lanes": 4}}, {"wire": {"lanes": 2}}]})") ==
        "/links/*/wire/lanes: 8 -> 4 (2 places)\n/links/2/wire/lanes: 4 -> 2\n");
  CHECK(said(R"({"node0": {"x": 1}, "node11": {"x": 1}})", R"({"node0": {"x": 2}, "node11": {"x": 2}})") ==
        "/node*/x: 1 -> 2 (2 places)\n");
}

TEST_CASE("what is long or would obey a terminal is told shortly, and harmless") {
  const std::string text = said(R"({"a": ""})", ("{\"a\": \"" + std::string(100, 'x') + "\"}").c_str());
  CHECK(text.size() < 80);
  CHECK(said(R"({"a": "x"})", "{\"a\": \"\\u001b[31m\"}") == "/a: x -> \\x1b[31m\n");
}

TEST_CASE("a quantity in another unit is the same, another quantity is not") {
  CHECK(said(R"({"rate": "5 GHz", "flight": "1000 ns"})", R"({"rate": "5 GT/s", "flight": "1 us"})").empty());
  CHECK(said(R"({"size": "1 KiB"})", R"({"size": "1 kB"})") == "/size: 1 KiB -> 1 kB\n");
  CHECK(said(R"({"x": "1 m"})", R"({"x": "1000000 us"})") == "/x: 1 m -> 1000000 us\n");
  CHECK(said(R"({"t": "9007199254740992 fs"})", R"({"t": "9007199254740993 fs"})") ==
        "/t: 9007199254740992 fs -> 9007199254740993 fs\n");
}

}  // namespace compare_settings_test
