// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "config/places/places.hpp"
#include "support/catch.hpp"
#include "unit/config/config_fixture.hpp"

namespace config_places_test {

using namespace world;
using nlohmann::ordered_json;

namespace {

const ordered_json tree = ordered_json::parse(R"({
  "name": "m",
  "devices": {
    "node0": {"kind": "group", "rate": 1, "wire": {"kind": "pcie", "rate": 5, "lanes": 8}},
    "node1": {"kind": "group", "rate": 2, "wire": {"kind": "link", "rate": 6, "path": "a/b"}},
    "nic": {"kind": "nic", "$sources": {"rate": {"class": "assumed"}}}
  },
  "links": [{"wire": {"kind": "pcie", "rate": 7, "lanes": 4}}, {"wire": {"kind": "pcie", "rate": 8, "lanes": 8}}],
  "x/y": {"t~": 1, "a*": 2, "b[k=1]": 3, "a1": 4}
})");

/// The places, one after the other; or why there is none.
std::string at(const std::string& path, const std::vector<const ordered_json*>& trees = {&tree}) {
  const config::Places places = config::find_places(path, trees);
  return places.fault.empty() ? fmt::format("{}", fmt::join(places.pointers, " ")) : places.fault;
}

}  // namespace

TEST_CASE("a path of many places: stars stand for names, indices and parts of names") {
  CHECK(at("/links/*/wire/rate") == "/links/0/wire/rate /links/1/wire/rate");
  CHECK(at("/devices/node*/rate") == "/devices/node0/rate /devices/node1/rate");
  CHECK(at("/devices/*o*1/rate") == "/devices/node1/rate");
  CHECK(at("/*/node0/rate") == "/devices/node0/rate");
  CHECK(at("/links/1/wire/*s") == "/links/1/wire/lanes");
}

TEST_CASE("a path of many places: two stars stand for any number of levels, none included") {
  CHECK(at("/**/wire/lanes") == "/devices/node0/wire/lanes /links/0/wire/lanes /links/1/wire/lanes");
  CHECK(at("/devices/**/rate") ==
        "/devices/node0/rate /devices/node0/wire/rate /devices/node1/rate /devices/node1/wire/rate");
  CHECK(at("/**/name") == "/name");
  CHECK(at("/**/**/wire/**/lanes") == at("/**/wire/lanes"));
}

TEST_CASE("a path of many places: without a slash in front it begins anywhere") {
  CHECK(at("wire/lanes") == at("/**/wire/lanes"));
  CHECK(at("**/lanes") == at("/**/lanes"));
  CHECK(at("name") == "/name");
  CHECK(at("node1/rate") == "/devices/node1/rate");
}

TEST_CASE("a path of many places: conditions on what objects hold") {
  CHECK(at("[kind=pcie]/rate") == "/devices/node0/wire/rate /links/0/wire/rate /links/1/wire/rate");
  CHECK(at("[kind=pcie][lanes=8]/rate") == "/devices/node0/wire/rate /links/1/wire/rate");
  CHECK(at("/links/*/wire[lanes=4]/rate") == "/links/0/wire/rate");
  CHECK(at("/links/*/*[lanes=4]/rate") == "/links/0/wire/rate");
  CHECK(at("[kind=\"link\"]/rate") == "/devices/node1/wire/rate");
  CHECK(at("[kind=l*]/rate") == "/devices/node1/wire/rate");
  CHECK(at("[path=a/b]/rate") == "/devices/node1/wire/rate");
  CHECK(at("/devices/[kind=nic]") == "/devices/nic");
}

TEST_CASE("a path of many places: an object's own key is that key, whatever is in it") {
  CHECK(at("/x~1y/a*") == "/x~1y/a*");
  CHECK(at("/x~1y/a**") == "/x~1y/a* /x~1y/a1");
  CHECK(at("/x~1y/b[k=1]") == "/x~1y/b[k=1]");
  CHECK(at("x~1y/t~0") == "/x~1y/t~0");
  CHECK(at("/devices/*/$sources") == "/devices/nic/$sources");
  CHECK(at("/devices/nic/*") == "/devices/nic/kind");
  CHECK(at("**/class") ==
        "there is no \"class\"; keys there: a*, a1, b[k=1], devices, kind, lanes, links, name, "
        "nic, node0, node1, path, rate, t~, wire, x/y");
}

TEST_CASE("a path of many places: those of several trees, each once") {
  const auto more = ordered_json::parse(R"({"links": [{"wire": {"kind": "pcie", "rate": 7, "odd": 1}}]})");
  CHECK(at("/links/*/wire/rate", {&tree, &more}) == "/links/0/wire/rate /links/1/wire/rate");
  CHECK(at("[kind=pcie]/odd", {&tree, &more}) == "/links/0/wire/odd");
  CHECK(at("[kind=pcie]/od", {&tree, &more}) ==
        "there is no \"od\" below \"[kind=pcie]\"; keys there: kind, lanes, rate");
}

TEST_CASE("a path without a place says which part has none, and what there is") {
  CHECK(at("/link/*/wire") == "there is no \"link\"; did you mean \"links\"? keys there: devices, links, name, x/y");
  CHECK(at("/links/*/wier/rate") == "there is no \"wier\" below \"/links/*\"; did you mean \"wire\"? keys there: wire");
  CHECK(at("[kind=pcie]/lane") ==
        "there is no \"lane\" below \"[kind=pcie]\"; did you mean \"lanes\"? keys there: kind, lanes, rate");
  CHECK(at("[kind=pci]/lanes") ==
        "no object has the kind \"pci\"; did you mean \"pcie\"? values there: group, link, nic, pcie");
  CHECK(at("/links/*/wire[lines=4]") ==
        "no object below \"/links/*\" has a \"lines\"; did you mean \"lanes\"? keys there: kind, lanes, rate");
  CHECK(at("[kind=pcie][path=a/b]") == "no object is all of \"[kind=pcie][path=a/b]\"");
  CHECK(at("/name/*") == "nothing is below \"/name\": it has a value");
  CHECK(at("[kind=pcie/rate") == "there is no \"[kind=pcie\"; conditions are [KEY=VALUE]");
  CHECK(at("/links/*/wire~2") == "in a JSON pointer \"~\" is written ~0 and \"/\" inside a key ~1");
  CHECK(at("/links/**") == "a path cannot end with \"**\"");
  CHECK(at("") == "a path is empty");
  CHECK(at("/links/**/*") == "is /links/0 and /links/0/wire inside it: only one of them can be set");
}

TEST_CASE("which paths are of many places, where they end, and what is left without conditions") {
  CHECK(!config::is_pattern("/options/seed"));
  CHECK(!config::is_pattern(""));
  for (const char* path : {"seed", "/a*", "/a[k=1]", "**/a"}) CHECK(config::is_pattern(path));
  CHECK(config::path_length("[a=b]/c=d=e") == 7);
  CHECK(config::path_length("[a=b]") == std::string::npos);
  CHECK(config::path_length("/a[b=c") == 4);
  CHECK(config::without_conditions("/links/*/wire[kind=pcie]/rate") == "/links/*/wire/rate");
  CHECK(config::without_conditions("[path=a/b]/rate") == "/rate");
  CHECK(config::without_conditions("seed") == "seed");
}

namespace {

std::string resolved(const std::vector<config::Override>& overrides) {
  const config::Kinds all = kinds();
  const config::Document d = config::parse(machine_text, "m.json", overrides, config::resolver<Machine>(all));
  auto machine = config::read<Machine>(d, all);
  return config::resolved(machine).dump();
}

}  // namespace

TEST_CASE("an override sets all places of a path, written or left to defaults") {
  CHECK(resolved({{"/topology/links/*/lanes", "4"}}) ==
        resolved({{"/topology/links/0/lanes", "4"}, {"/topology/links/1/lanes", "4"}}));
  CHECK(resolved({{"[kind=gpu]/credits", "5"}}) ==
        resolved(
            {{"/topology/devices/gpu0/credits", "5"}, {"/topology/devices/box/devices/inner/devices/g/credits", "5"}}));
  CHECK(resolved({{"blocks/0", "1 KiB"}}) ==
        resolved({{"/topology/devices/gpu0/blocks/0", "1 KiB"},
                  {"/topology/devices/box/devices/inner/devices/g/blocks", R"(["1 KiB", "4 KiB"])"}}));
  CHECK(resolved({{"low", "3"}}) == resolved({{"/options/low", "3"}}));
  CHECK(resolved({{"/topology/devices/gpu0", R"({"kind": "group", "devices": {"n": {"kind": "gpu"}}})"},
                  {"n/credits", "7"}}) ==
        resolved({{"/topology/devices/gpu0",
                   R"({"kind": "group", "devices": {"n": {"kind": "gpu", "credits": 7}}})"}}));  // in their order
}

TEST_CASE("an override of a path without a place, or with a wrong value, is told once") {
  const auto complaint = [](const std::string& path, const std::string& value) {
    try {
      resolved({{path, value}});
    } catch (const config::ConfigError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  CHECK_THAT(complaint("[kind=gpu]/credit", "5"),
             Catch::StartsWith("--set [kind=gpu]/credit: there is no \"credit\" below \"[kind=gpu]\"; did you mean "));
  CHECK(complaint("[kind=gpu]/credits", "0") ==
        "--set [kind=gpu]/credits: /topology/devices/gpu0/credits: must be at least 1, not 0");
  CHECK(complaint("**/$use", "f.json") ==
        "--set **/$use: \"$use\" can only be set with its object, as in /machine={\"$use\": \"FILE\"}");
  CHECK(complaint("\xff*", "1") == "--set \\xff*: is no UTF-8");
}

}  // namespace config_places_test
