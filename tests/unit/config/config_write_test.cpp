// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "unit/config/config_fixture.hpp"

namespace config_write_test {

using namespace world;
using config::parse;
using config::read;

namespace {

Machine whole_machine() { return read<Machine>(parse(machine_text, "m.json"), kinds()); }

}  // namespace

TEST_CASE("a resolved config has every field, in canonical units") {
  Machine m = whole_machine();
  const std::string gpu_defaults =
      R"({"kind":"gpu","memory":"4 GiB","blocks":["256 B","4 KiB"],"derate":1.0,"credits":32,)"
      R"("peer":true})";
  CHECK(config::resolved(m).dump() ==
        R"({"name":"two","topology":{"kind":"explicit","devices":{)"
        R"("gpu0":{"kind":"gpu","memory":"8 GiB","blocks":["512 B"],"derate":0.5,"credits":32,"peer":true},)"
        R"("box":{"kind":"group","count":1,"devices":{"inner":{"kind":"group","count":1,"devices":{"g":)" +
            gpu_defaults +
            R"(}}}}},"links":[)"
            R"({"from":"gpu0","lanes":16,"flight":"120 ns","rate":"3.5 GB/s","speed":"8 GT/s","policy":"stop_go"},)"
            R"({"from":"box","lanes":8,"flight":"5 ns","rate":"infinite","speed":"5 GT/s","policy":"credits"}]},)"
            R"("options":{"low":2,"high":64,"tags":["a","b"],"sizes":[8]}})");
}

TEST_CASE("a resolved config reads back and resolves to itself") {
  Machine first = whole_machine();
  const auto resolved = config::resolved(first);
  Machine second = read<Machine>(parse(resolved.dump(2), "resolved.json"), kinds());
  CHECK(config::resolved(second) == resolved);
  Link link;
  link.from = "a";
  link.rate = Rate::bytes_in(8, 1'015'625);  // Gen3 x8: no finite decimal
  link.flight = Time::from_fs(1'234'567);
  const auto link_json = config::resolved(link);
  CHECK(link_json["rate"] == "8 B/1015625 fs");
  const Link back = read<Link>(parse(link_json.dump(), "l.json"), kinds());
  CHECK(back.rate == link.rate);
  CHECK(back.flight == link.flight);
}

TEST_CASE("an empty choice of kind is left out") {
  Machine m;
  CHECK(config::resolved(m).dump() == R"({"name":"","options":{"low":1,"high":64,"tags":[],"sizes":[1,2]}})");
}

TEST_CASE("ideals are found wherever they are") {
  Machine m = whole_machine();
  const auto found = config::ideals(m);
  std::string text;
  for (const auto& f : found) {
    text += f.pointer + " " + f.value + " " + f.ideal.dump() + (f.is_ideal ? " already\n" : "\n");
  }
  CHECK(text ==
        "/topology/devices/gpu0/derate 0.5 1.0\n"
        "/topology/devices/gpu0/credits 32 1000\n"
        "/topology/devices/box/devices/inner/devices/g/derate 1.0 1.0 already\n"
        "/topology/devices/box/devices/inner/devices/g/credits 32 1000\n"
        "/topology/links/0/flight 120 ns \"0 ns\"\n"
        "/topology/links/0/rate 3.5 GB/s \"infinite\"\n"
        "/topology/links/1/flight 5 ns \"0 ns\"\n"
        "/topology/links/1/rate infinite \"infinite\" already\n");
}

TEST_CASE("every ideal can be set as an override") {
  Machine m = whole_machine();
  std::vector<config::Override> overrides;
  for (const auto& f : config::ideals(m)) overrides.push_back({f.pointer, f.ideal.dump()});
  Machine better = read<Machine>(parse(machine_text, "m.json", overrides), kinds());
  for (const auto& f : config::ideals(better)) {
    INFO(f.pointer);
    CHECK(f.is_ideal);
  }
}

}  // namespace config_write_test
