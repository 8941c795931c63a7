// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "unit/config/config_fixture.hpp"

namespace config_read_test {

using namespace world;
using config::parse;
using config::read;

TEST_CASE("a whole machine is read into its structs") {
  const auto m = read<Machine>(parse(machine_text, "m.json"), kinds());
  CHECK(m.name == "two");
  REQUIRE(m.topology.kind() == "explicit");
  const auto& topology = m.topology.as<Explicit>();
  REQUIRE(topology.devices.size() == 2);
  CHECK(topology.devices[0].first == "gpu0");
  const Gpu& gpu = topology.devices[0].second.as<Gpu>();
  CHECK(gpu.memory == 8_GiB);
  CHECK(gpu.blocks == std::vector<Bytes>{512_B});
  CHECK(gpu.derate == 0.5);
  CHECK(gpu.credits == 32);
  const Group& box = topology.devices[1].second.as<Group>();
  const Group& inner = box.devices.at(0).second.as<Group>();
  CHECK(inner.devices.at(0).second.as<Gpu>().memory == 4_GiB);
  REQUIRE(topology.links.size() == 2);
  CHECK(topology.links[0].lanes == 16);
  CHECK(topology.links[0].flight == 120_ns);
  CHECK(topology.links[0].rate == Rate::bytes_per_second(3'500'000'000));
  CHECK(topology.links[0].speed == TransferRate(8'000'000'000));
  CHECK(topology.links[0].policy == Policy::stop_go);
  CHECK(m.options.low == 2);
  CHECK(m.options.high == 64);
  CHECK(m.options.tags == std::vector<std::string>{"a", "b"});
  CHECK_THROWS_AS(m.topology.as<Gpu>(), std::logic_error);
}

TEST_CASE("elements of a list start from the element's defaults, not from the list's") {
  const auto m = read<Machine>(
      parse(R"({"name":"x","topology":{"kind":"explicit","devices":{},"links":[{"from":"a"}]}})", "m.json"), kinds());
  const auto& links = m.topology.as<Explicit>().links;
  REQUIRE(links.size() == 1);
  CHECK(links[0].lanes == 8);
  CHECK(links[0].flight == 5_ns);
  CHECK(links[0].policy == Policy::credits);
}

TEST_CASE("an unknown key is told with its place and the nearest known one") {
  CHECK(
      complaint(R"({
  "name": "x",
  "topology": {"kind": "explicit", "devices": {}, "links": [
    {"from": "a", "lane": 4}
  ]}
})") ==
      "m.json:4:19: /topology/links/0: unknown key \"lane\"; did you mean \"lanes\"? known keys: from, lanes, flight, "
      "rate, speed, policy");
  CHECK(complaint<Options>(R"({"zebra": 1})") ==
        "m.json:1:2: unknown key \"zebra\"; known keys: low, high, tags, sizes");
  CHECK(complaint<Options>(R"({"Low": 1})") ==
        "m.json:1:2: unknown key \"Low\"; did you mean \"low\"? known keys: low, high, tags, sizes");
  CHECK(complaint<Options>(R"({"": 1})") == "m.json:1:2: unknown key \"\"; known keys: low, high, tags, sizes");
  CHECK(complaint<Link>(R"({"from": "a", "$comment": "x"})").find("unknown key \"$comment\"") != std::string::npos);
}

TEST_CASE("all faults are told at once, in the order of the file") {
  CHECK(complaint(R"({
  "topology": {"kind": "explicit", "links": [{"lanes": 3, "flight": 7}]},
  "options": {"hi": 2, "sizes": [1, 0, "2"]}
})") == "m.json:1:1: missing required field \"name\" (short name)\n"
        "m.json:2:15: /topology: missing required field \"devices\" (devices by name)\n"
        "m.json:2:46: /topology/links/0: missing required field \"from\" (name of the sending device)\n"
        "m.json:2:56: /topology/links/0/lanes: must be one of 1, 2, 4, 8, 16, not 3\n"
        "m.json:2:69: /topology/links/0/flight: needs a unit, for example \"120 ns\"\n"
        "m.json:3:15: /options: unknown key \"hi\"; known keys: low, high, tags, sizes\n"
        "m.json:3:37: /options/sizes/1: must be at least 1, not 0\n"
        "m.json:3:40: /options/sizes/2: must be a whole number, not a string (\"2\")");
}

TEST_CASE("a list that may be one value is read from that, and held against the same bounds") {
  const auto several = [](const std::string& text) { return read<Several>(parse(text, "m.json"), kinds()); };
  CHECK(several("{}").counts == std::vector<std::int64_t>{0});
  CHECK(several(R"({"counts": 3})").counts == std::vector<std::int64_t>{3});
  CHECK(several(R"({"counts": [3, 4]})").counts == std::vector<std::int64_t>{3, 4});
  CHECK(several(R"({"blocks": "8 KiB"})").blocks == std::vector<Bytes>{8_KiB});
  for (const char* text : {R"({"counts":0,"blocks":"4 KiB"})", R"({"counts":[3,4],"blocks":["8 KiB","1 B"]})"}) {
    Several given = several(text);
    CHECK(config::resolved(given).dump() == text);
  }
  CHECK(complaint<Several>(R"({"counts": 9})") == "m.json:1:12: /counts: must be 0 to 8, not 9");
  CHECK(complaint<Several>(R"({"counts": "3"})") ==
        "m.json:1:12: /counts: must be a whole number, not a string (\"3\")");
  CHECK(complaint<Several>(R"({"counts": {}})") == "m.json:1:12: /counts: must be a whole number, not an object");
}

TEST_CASE("dimensional fields refuse bare numbers, wrong units and wrong types") {
  const auto link = [](const std::string& field) { return complaint<Link>("{\"from\": \"a\", " + field + "}"); };
  CHECK(link(R"("flight": 5)") == "m.json:1:25: /flight: needs a unit, for example \"120 ns\"");
  CHECK(link(R"("rate": 1.5)") == "m.json:1:23: /rate: needs a unit, for example \"3.5 GB/s\"");
  CHECK(link(R"("speed": 5e9)") == "m.json:1:24: /speed: needs a unit, for example \"5 GT/s\"");
  CHECK(link(R"("flight": "5")") == "m.json:1:25: /flight: \"5\" needs a unit, for example \"120 ns\"");
  CHECK(link(R"("flight": "5 GHz")") ==
        "m.json:1:25: /flight: unknown unit \"GHz\" in \"5 GHz\"; a time takes one of: s, ms, us, ns, ps, fs");
  CHECK(link(R"("flight": null)") == "m.json:1:25: /flight: must be a time such as \"120 ns\", not null");
  CHECK(link(R"("flight": "11 us")") == "m.json:1:25: /flight: must be at most 10 us, not 11 us");
  CHECK(link(R"("speed": "64 GT/s")") == "m.json:1:24: /speed: must be 1 GT/s to 32 GT/s, not 64 GT/s");
  CHECK(link(R"("rate": "infinite")").empty());
  CHECK(complaint<Gpu>(R"({"memory": 4096})") == "m.json:1:12: /memory: needs a unit, for example \"256 B\"");
  CHECK(complaint<Gpu>(R"({"memory": "1 TiB"})") == "m.json:1:12: /memory: must be 1 KiB to 512 GiB, not 1 TiB");
  CHECK(complaint<Gpu>(R"({"blocks": ["1 KiB", 5]})") == "m.json:1:22: /blocks/1: needs a unit, for example \"256 B\"");
  CHECK(complaint<Gpu>(R"({"blocks": ["0 B"]})") == "m.json:1:13: /blocks/0: must be at least 1 B, not 0 B");
  CHECK(complaint<Gpu>(R"({"blocks": "1 KiB"})") == "m.json:1:12: /blocks: must be an array, not a string");
}

TEST_CASE("plain fields refuse other types") {
  CHECK(complaint<Gpu>(R"({"peer": 1})") == "m.json:1:10: /peer: must be true or false, not a number");
  CHECK(complaint<Gpu>(R"({"derate": "0.5"})") == "m.json:1:12: /derate: must be a number, not a string (\"0.5\")");
  CHECK(complaint<Gpu>(R"({"derate": 1.5})") == "m.json:1:12: /derate: must be 0.1 to 1.0, not 1.5");
  CHECK(complaint<Gpu>(R"({"derate": 1})").empty());
  CHECK(complaint<Gpu>(R"({"credits": 1.5})") == "m.json:1:13: /credits: must be a whole number of 64 bits, not 1.5");
  CHECK(complaint<Gpu>(R"({"credits": 99999999999999999999})") ==
        "m.json:1:13: /credits: must be a whole number of 64 bits, not 99999999999999999999");
  CHECK(complaint<Gpu>(R"({"credits": 1e2})").empty());
  CHECK(complaint<Gpu>(R"({"credits": 1e-2})") == "m.json:1:13: /credits: must be a whole number of 64 bits, not 1e-2");
  CHECK(complaint<Gpu>(R"({"credits": 1e99})") == "m.json:1:13: /credits: must be a whole number of 64 bits, not 1e99");
  CHECK(complaint<Options>(R"({"tags": ["a", 2]})") == "m.json:1:16: /tags/1: must be a string, not a number");
  CHECK(complaint<Link>(R"({"from": 3})") == "m.json:1:10: /from: must be a string, not a number");
  CHECK(complaint<Link>(R"([1])") == "m.json:1:1: must be an object, not an array");
  CHECK(complaint<Link>(R"({"from": "a", "policy": "credit"})") ==
        "m.json:1:25: /policy: unknown word \"credit\"; did you mean \"credits\"? known words: credits, stop_go, none");
  CHECK(complaint<Link>(R"({"from": "a", "policy": 1})") ==
        "m.json:1:25: /policy: must be one of credits, stop_go, none, not a number");
}

TEST_CASE("an int field does not wrap round") {
  struct Narrow {
    int n = 0;
  };
  Narrow narrow;
  const auto document = parse(R"({"n": 4294967297})", "m.json");
  const auto body = [&](config::Describer& d) { d.field("n", narrow.n, "a number"); };
  const config::Kinds none;
  CHECK_THROWS_WITH(config::detail::read_root(document, none, body),
                    "m.json:1:7: /n: must be -2147483648 to 2147483647, not 4294967297");
}

TEST_CASE("a rate without an infinite ideal or default must be finite") {
  Rate rate = Rate::bytes_per_second(1);
  const config::Kinds none;
  const auto read_as = [&](auto... options) {
    const auto body = [&](config::Describer& d) { d.field("rate", rate, "a rate", options...); };
    config::detail::read_root(parse(R"({"rate": "infinite"})", "m.json"), none, body);
  };
  CHECK_THROWS_WITH(read_as(), "m.json:1:10: /rate: must be finite");
  read_as(config::ideal(Rate::infinite()));
  CHECK(rate.is_infinite());
  CHECK_THROWS_WITH(read_as(config::required), "m.json:1:10: /rate: must be finite");
}

TEST_CASE("kinds are checked by name") {
  const auto topology = [](const std::string& text) { return complaint(R"({"name": "x", "topology": )" + text + "}"); };
  CHECK(topology(R"({"kind": "explicite"})") ==
        "m.json:1:36: /topology: unknown kind \"explicite\"; did you mean \"explicit\"? known kinds: explicit");
  CHECK(topology(R"({"kind": "ring"})") == "m.json:1:36: /topology: unknown kind \"ring\"; known kinds: explicit");
  CHECK(topology(R"({"devices": {}})") ==
        "m.json:1:27: /topology: missing required field \"kind\"; known kinds: explicit");
  CHECK(topology(R"({"kind": 3})") == "m.json:1:36: /topology/kind: must be a string, not a number");
  CHECK(topology(R"("explicit")") == "m.json:1:27: /topology: must be an object, not a string");
  CHECK(
      topology(R"({"kind": "explicit", "devices": {"a/b": {"kind": "gpu", "memry": "1 MiB"}, "": {"kind": "gpu"}}})") ==
      "m.json:1:83: /topology/devices/a~1b: unknown key \"memry\"; did you mean \"memory\"? known keys: kind, memory, "
      "blocks, derate, credits, peer\n"
      "m.json:1:102: /topology/devices: \"\" is no name");
  for (const char* name : {"a.b", "a b", ".a", "a "}) {
    CAPTURE(name);
    CHECK(topology(R"({"kind": "explicit", "devices": {")" + std::string(name) + R"(": {"kind": "gpu"}}})") ==
          "m.json:1:60: /topology/devices: \"" + std::string(name) +
              "\" is no name: there may be no dot and no blank in it");
  }
  CHECK(topology(R"({"kind": "explicit", "devices": []})") ==
        "m.json:1:59: /topology/devices: must be an object, not an array");
}

TEST_CASE("a rule over several fields is told at the object's place, once its fields are good") {
  CHECK(complaint<Options>("\n  {\"low\": 5, \"high\": 4}") == "m.json:2:3: \"low\" must not be above \"high\"");
  CHECK(complaint<Options>(R"({"low": 5, "high": "x"})") ==
        "m.json:1:20: /high: must be a whole number, not a string (\"x\")");
  CHECK(complaint<Options>(R"({"low": 4, "high": 4})").empty());
}

TEST_CASE("a part file is read as one kind of a family") {
  const auto part = config::read_any(parse(R"({"kind": "gpu", "credits": 5})", "p.json"), kinds(), "device");
  CHECK(part.as<Gpu>().credits == 5);
  CHECK_THROWS_WITH(config::read_any(parse(R"({"kind": "gpus"})", "p.json"), kinds(), "device"),
                    "p.json:1:10: unknown kind \"gpus\"; did you mean \"gpu\"? known kinds: gpu, group");
  CHECK_THROWS_AS(config::read_any(parse("{}", "p.json"), kinds(), "colour"), std::logic_error);
}

}  // namespace config_read_test
