// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace list_test {

using namespace tsunagi::test;

namespace {

std::string listed(const std::string& topic) {
  const Ended end = run_program({"list", topic, "--configs", TSUNAGI_TEST_CONFIGS});
  CHECK(end.exit_code == 0);
  CHECK(end.err.empty());
  return end.out;
}

}  // namespace

TEST_CASE("list names what there is, with a line on each") {
  CHECK_THAT(listed("machines"), Catch::Contains("tca_pair  "));
  CHECK_THAT(listed("runs"), Catch::Contains("tca_pio_ping_pong  "));
  CHECK_THAT(listed("devices"), Catch::Contains("peach2  "));
  CHECK_THAT(listed("topologies"), Catch::Contains("explicit  "));
  CHECK_THAT(listed("libraries"), Catch::Contains("tca  "));
  CHECK_THAT(listed("scenarios"), Catch::Contains("ping_pong  "));
  CHECK_THAT(listed("outputs"), Catch::Contains("csv  "));
  CHECK_THAT(listed("figures"), Catch::Contains("p2-theoretical-peak  "));
}

TEST_CASE("list without a topic prints every topic") {
  const Ended end = run_program({"list"});
  CHECK(end.exit_code == 0);
  for (const char* topic :
       {"machines", "devices", "wires", "topologies", "routes", "libraries", "scenarios", "outputs", "figures"})
    CHECK_THAT(end.out, Catch::Contains(topic + std::string("\n")));
}

TEST_CASE("a config that cannot be read is still listed") {
  const TemporaryFolder folder;
  folder.write("machines/broken.json", "{");
  Surroundings there;
  there.environment = {{"TSUNAGI_CONFIGS", folder.path().string()}};
  const Ended end = run_program({"list", "machines"}, there);
  CHECK(end.exit_code == 0);
  CHECK_THAT(end.out, Catch::Contains("broken") && Catch::Contains("cannot be read"));
}

TEST_CASE("schema prints a JSON Schema of each type of file") {
  for (const char* type : {"run", "machine", "part", "figures", "missed"}) {
    const Ended end = run_program({"schema", type});
    CAPTURE(type);
    REQUIRE(end.exit_code == 0);
    const auto schema = nlohmann::json::parse(end.out);
    CHECK(schema.contains("$schema"));
    CHECK((schema.contains("properties") || schema.contains("anyOf")));
  }
  CHECK(run_program({"schema"}).out == run_program({"schema", "run"}).out);
}

}  // namespace list_test
