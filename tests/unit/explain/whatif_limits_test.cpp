// SPDX-License-Identifier: Apache-2.0
#include "support/catch.hpp"
#include "unit/explain/whatif_fixture.hpp"
#include "whatif/limits.hpp"

namespace whatif_limits_test {

using namespace tsunagi;
using whatif::Limit;

namespace {

std::string names(const std::vector<Limit>& limits) {
  std::string out;
  for (const Limit& limit : limits) out += limit.name + ": " + limit.now + " -> " + limit.ideal + "\n";
  return out;
}

}  // namespace

TEST_CASE("whatif: a key of a kind of part is one limit, wherever the part stands") {
  CHECK(names(whatif::limits(test::whatif_run())) ==
        "latency of chip (2 places): 40 ns -> 0 ns\n"
        "queue of chip (2 places): 8 -> 0\n"
        "engine.tags of chip (2 places): 4 -> 32\n"
        "flight of cable (2 places): 10 ns, 1 ns -> 0 ns\n"
        "step of chip: 100 ns -> 0 ns\n");
}

TEST_CASE("whatif: a limit carries its doc and what sets it ideal") {
  const auto limits = whatif::limits(test::whatif_run());
  CHECK(limits[0].doc == "from port to port");
  REQUIRE(limits[0].overrides.size() == 2);
  CHECK(limits[0].overrides[0].pointer == "/machine/topology/devices/a/latency");
  CHECK(limits[0].overrides[1].pointer == "/machine/topology/devices/box/devices/b~1c/latency");
  CHECK(limits[0].overrides[1].value == "\"0 ns\"");
  CHECK(limits[3].overrides[1].pointer == "/machine/topology/links/1/wire/flight");
  CHECK(limits[4].overrides[0].pointer == "/scenario/step");
}

TEST_CASE("whatif: what is ideal already is no limit") {
  const auto limits = whatif::limits(
      test::whatif_run({{"/machine/topology/devices/box/devices/b~1c/queue", "0"}, {"/scenario/step", "\"0 ns\""}}));
  REQUIRE(limits.size() == 4);
  CHECK(limits[1].name == "queue of chip");
  CHECK(limits[1].overrides.size() == 1);
}

TEST_CASE("whatif: many different values are cut short") {
  std::vector<config::Override> overrides;
  for (const char* name : {"p", "q", "r"})
    overrides.push_back({std::string("/machine/topology/devices/") + name,
                         R"({"kind": "chip", "latency": ")" + std::to_string(overrides.size() + 1) + R"( ns"})"});
  CHECK(whatif::limits(test::whatif_run(overrides))[0].now == "40 ns, 1 ns, 2 ns, ...");
}

TEST_CASE("whatif: without its limits nothing limits a run") {
  std::vector<config::Override> overrides;
  for (const Limit& limit : whatif::limits(test::whatif_run()))
    overrides.insert(overrides.end(), limit.overrides.begin(), limit.overrides.end());
  CHECK(whatif::limits(test::whatif_run(overrides)).empty());
}

}  // namespace whatif_limits_test
