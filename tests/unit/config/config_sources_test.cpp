// SPDX-License-Identifier: Apache-2.0
#include "support/catch.hpp"
#include "unit/config/config_fixture.hpp"

namespace config_sources_test {

using namespace world;
using config::load;
using config::parse;
using config::provenance;

namespace {

/// What a link complains of when `flight` is 120 ns and has this "$sources" entry.
std::string with_entry(const std::string& entry) {
  return complaint<Link>("{\"from\": \"a\", \"flight\": \"120 ns\",\n\"$sources\": {\"flight\": " + entry + "}}");
}

}  // namespace

TEST_CASE("a sources entry is checked strictly") {
  CHECK(with_entry(R"({"class": "paper", "source": "table 2"})").empty());
  CHECK(with_entry(R"({"class": "assumed", "source": "s", "range": ["80 ns", "0.3 us"], "note": "n"})").empty());
  CHECK(
      with_entry(R"({"class": "fitted", "source": "s", "range": ["120 ns", "120 ns"], "fitted_to": ["id"]})").empty());
  CHECK(with_entry(R"({"class": "asumed", "source": "s"})") ==
        "m.json:2:34: /$sources/flight: unknown class \"asumed\"; did you mean \"assumed\"? known classes: "
        "specification, "
        "datasheet, paper, measured, assumed, fitted");
  CHECK(with_entry(R"({"class": 3, "source": "s"})") ==
        "m.json:2:34: /$sources/flight: \"class\" must be one of specification, datasheet, paper, measured, assumed, "
        "fitted, not a number");
  CHECK(with_entry("{}") ==
        "m.json:2:24: /$sources/flight: needs a \"class\": specification, datasheet, paper, measured, assumed, fitted\n"
        "m.json:2:24: /$sources/flight: needs a \"source\", a text");
  CHECK(with_entry(R"({"class": "paper", "source": ""})") ==
        "m.json:2:53: /$sources/flight: \"source\" must be a text");
  CHECK(with_entry(R"({"class": "assumed", "source": "s"})") ==
        "m.json:2:24: /$sources/flight: class \"assumed\" needs a \"range\": [low, high]");
  CHECK(with_entry(R"({"class": "fitted", "source": "s"})") ==
        "m.json:2:24: /$sources/flight: class \"fitted\" needs a \"range\": [low, high]\n"
        "m.json:2:24: /$sources/flight: class \"fitted\" needs \"fitted_to\": [figure ids]");
  CHECK(with_entry(R"({"class": "fitted", "source": "s", "range": ["1 ns", "1 us"], "fitted_to": "id"})") ==
        "m.json:2:99: /$sources/flight: \"fitted_to\" must be an array of figure ids");
  CHECK(with_entry(R"({"class": "paper", "source": "s", "sourse": 1})") ==
        "m.json:2:58: /$sources/flight: unknown key \"sourse\"; did you mean \"source\"? known keys: class, source, "
        "range, "
        "fitted_to, note");
  CHECK(with_entry("\"paper\"") == "m.json:2:24: /$sources/flight: must be an object, not a string");
}

TEST_CASE("a value lies in the range of its source") {
  const auto range = [](const std::string& r) {
    return with_entry(R"({"class": "assumed", "source": "s", "range": )" + r + "}");
  };
  CHECK(range(R"(["200 ns", "1 us"])") ==
        "m.json:1:25: /flight: 120 ns is outside its \"$sources\" range of 200 ns to 1 us");
  CHECK(range(R"(["1 us", "200 ns"])") == "m.json:2:69: /$sources/flight/range: must be [low, high], low first");
  CHECK(range(R"(["1 ns"])") == "m.json:2:69: /$sources/flight: \"range\" must be [low, high]");
  CHECK(range(R"([1, 2])") == "m.json:2:70: /$sources/flight/range/0: needs a unit, for example \"120 ns\"");
  CHECK(range(R"(["1 ns", "2 ns", "3 ns"])") == "m.json:2:69: /$sources/flight/range: must be [low, high]");
  CHECK(complaint<Link>(R"({"from": "a", "rate": "2 GB/s",
    "$sources": {"rate": {"class": "assumed", "source": "s", "range": ["3 GB/s", "infinite"]}}})") ==
        "m.json:1:23: /rate: 2 GB/s is outside its \"$sources\" range of 3 GB/s to infinite");
  CHECK(complaint<Gpu>(
            R"({"credits": 4, "$sources": {"credits": {"class": "assumed", "source": "s", "range": [5, 9]}}})") ==
        "m.json:1:13: /credits: 4 is outside its \"$sources\" range of 5 to 9");
  // a default is not in this file
  CHECK(complaint<Gpu>(R"({"$sources": {"credits": {"class": "assumed", "source": "s", "range": [5, 9]}}})").empty());
}

TEST_CASE("a source names a field of its object") {
  CHECK(complaint<Gpu>(R"({"$sources": {"credit": {"class": "paper", "source": "s"}}})") ==
        "m.json:1:15: /$sources: unknown field \"credit\"; did you mean \"credits\"? known fields: memory, blocks, "
        "derate, "
        "credits, peer");
  CHECK(complaint<Gpu>(R"({"$sources": 3})") == "m.json:1:14: /$sources: must be an object, not a number");
}

TEST_CASE("provenance lists every entry of the composed document") {
  const Folder folder({
      {"m.json",
       R"({"name": "x", "topology": {"kind": "explicit", "devices": {"a/b": {"$use": "gpu.json", "memory": "2 GiB",
         "$sources": {"derate": {"class": "measured", "source": "here"}}}}}})"},
      {"gpu.json", R"({"kind": "gpu", "credits": 6, "memory": "1 GiB", "$sources": {
         "memory": {"class": "assumed", "source": "m", "range": ["1 GiB", "1 GiB"]},
         "derate": {"class": "paper", "source": "old"},
         "credits": {"class": "fitted", "source": "c", "range": [5, 9], "fitted_to": ["f1", "f2"], "note": "n"}}})"},
  });
  const auto document = load("m.json");
  CHECK(complaint(document).empty());
  const auto all = provenance(document);
  REQUIRE(all.size() == 2);  // memory was replaced, so its base's entry went
  CHECK(all[0].pointer == "/topology/devices/a~1b/credits");
  CHECK(all[0].key == "credits");
  CHECK(all[0].source_class == "fitted");
  CHECK(all[0].source == "c");
  CHECK(all[0].range == std::vector<std::string>{"5", "9"});
  CHECK(all[0].fitted_to == std::vector<std::string>{"f1", "f2"});
  CHECK(all[0].note == "n");
  CHECK(*all[0].place.file == "gpu.json");
  CHECK(all[1].pointer == "/topology/devices/a~1b/derate");
  CHECK(all[1].source == "here");
}

TEST_CASE("an overridden value leaves its source and range behind") {
  const std::string text = R"({"credits": 6, "memory": "1 GiB", "$sources": {
    "memory": {"class": "paper", "source": "m"},
    "credits": {"class": "assumed", "source": "c", "range": [5, 9]}}})";
  const auto document = parse(text, "m.json", {{"/credits", "100"}});
  CHECK(complaint<Gpu>(document).empty());
  REQUIRE(provenance(document).size() == 1);
  CHECK(provenance(document)[0].pointer == "/memory");
  CHECK(complaint<Gpu>(parse(text, "m.json", {{"/credits", "100"}, {"/$sources/credits/class", "assumed"}})) ==
        "--set /$sources/credits/class: /$sources/credits: needs a \"source\", a text\n"
        "--set /$sources/credits/class: /$sources/credits: class \"assumed\" needs a \"range\": [low, high]");
}

}  // namespace config_sources_test
