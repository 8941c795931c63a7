// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
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

TEST_CASE("list routes names those of any graph and those of some topologies, with these") {
  const std::string routes = listed("routes");
  CHECK_THAT(routes, Catch::Contains("\nup_down            any graph: up*/down* from a root"));
  CHECK_THAT(routes, Catch::Contains("\nminimal_adaptive   ring, mesh, torus: each hop in"));
  CHECK_THAT(routes, Catch::Contains("\nugal               ring, mesh, torus: ") &&
                         Catch::Contains("\nugal               dragonfly: ") &&
                         Catch::Contains("\nadaptive           fat_tree: "));
}

TEST_CASE("list without a topic prints every topic") {
  const Ended end = run_program({"list"});
  CHECK(end.exit_code == 0);
  for (const char* topic :
       {"machines", "devices", "wires", "topologies", "routes", "libraries", "scenarios", "outputs", "figures"})
    CHECK_THAT(end.out, Catch::Contains(topic + std::string("\n")));
}

TEST_CASE("Ctrl-C ends list --matrix with 130") {
  Surroundings there;
  there.interrupt_after_ms = 100;
  const Ended end = run_program({"list", "--matrix"}, there);
  CHECK(end.exit_code == 130);
  CHECK(end.out.empty());
}

TEST_CASE("list --matrix is a table, or a line an answer") {
  const TemporaryFolder few;  // the whole matrix is built where it is held against what runs (system/matrix_test.cpp)
  for (const std::string file :
       {"machines/crossbar_16", "runs/tca_pio_ping_pong", "runs/ib_write_lat", "runs/crossbar_matrix"})
    few.write(file + ".json", R"({"$use": ")" TSUNAGI_TEST_CONFIGS "/" + file + R"(.json"})");
  const Ended table = run_program({"list", "--matrix", "--configs", few.path().string()});
  CHECK_THAT(table.out, Catch::StartsWith("scenario  ") && Catch::Contains("\ntopology  ") &&
                            Catch::Contains("\n(1) ") && Catch::Contains("datagram           router, terminal\n"));
  const Ended csv = run_program({"list", "--matrix", "--format", "csv", "--configs", few.path().string()});
  CHECK_THAT(csv.out, Catch::StartsWith("what,name,library,runs,why\n") &&
                          Catch::Contains("\nscenario,ping_pong,tca,yes,\n") &&
                          Catch::Contains("\nscenario,put,verbs,no,the library has no prepared puts\n"));
  const Ended json = run_program({"list", "--matrix", "--format", "json", "--configs", few.path().string()});
  const auto all = nlohmann::json::parse(json.out);
  CHECK(all["scenario"]["ping_pong"]["tca"] == nlohmann::json{{"runs", true}});
  CHECK(all["scenario"]["put"]["verbs"] ==
        nlohmann::json{{"runs", false}, {"why", "the library has no prepared puts"}});
  CHECK(all["devices"]["datagram"] == nlohmann::json{"router", "terminal"});
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{"list", "runs", "--matrix"},
                                                {"list", "--format", "csv"},
                                                {"list", "--matrix", "--format", "xml"}})
    CHECK(run_program(wrong).exit_code == 2);
}

TEST_CASE("list --protocols says which protocol a run's library takes for which messages, and why") {
  const Ended end = run_program({"list", "--protocols", TSUNAGI_TEST_CONFIGS "/runs/mpi_gdrcopy_ping_pong.json"});
  REQUIRE(end.exit_code == 0);
  CHECK_THAT(end.out,
             Catch::StartsWith("messages   from        to          at_least  up_to    protocol") &&
                 Catch::Contains("\ntwo-sided  gpu0, gpu1  gpu0, gpu1       0 B  5056 B   eager, fast path ") &&
                 Catch::Contains("\n(2) \"eager_limit\" is 16336 B\n"));
  const Ended json = run_program({"list", "--protocols", TSUNAGI_TEST_CONFIGS "/runs/mpi_latency.json", "--set",
                                  R"(/library/eager_limit="8 KiB")", "--format", "json"});
  const auto rows = nlohmann::json::parse(json.out);
  REQUIRE(rows.size() == 3);
  CHECK(rows[1]["up_to_bytes"] == 8192);
  CHECK(rows[2]["at_least_bytes"] == 8193);
  CHECK(rows[2].count("up_to_bytes") == 0);
  CHECK(rows[2]["protocol"] == "rendezvous put");
  CHECK(rows[2]["control"] == "ready to send, clear to send, finished");
  const Ended csv =
      run_program({"list", "--protocols", TSUNAGI_TEST_CONFIGS "/runs/halo_tca_mpi.json", "--format", "csv"});
  CHECK_THAT(csv.out, Catch::StartsWith(
                          "messages,from,to,at_least_bytes,up_to_bytes,protocol,by_core,by_dma,control,because\n") &&
                          Catch::Contains("\n\"halo exchange, dma\",\"host, chip, gpu0, gpu1\","));
}

TEST_CASE("list --protocols refuses what has no messages, and other words") {
  const Ended none = run_program({"list", "--protocols", TSUNAGI_TEST_CONFIGS "/runs/gdrcopy_to_gpu.json"});
  CHECK(none.exit_code == 2);
  CHECK_THAT(none.err, Catch::Contains("library gdrcopy has no messages between ranks"));
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"list", "--protocols"},
        {"list", "--protocols", TSUNAGI_TEST_CONFIGS "/machines/tca_pair.json"},
        {"list", "--protocols", "--matrix", TSUNAGI_TEST_CONFIGS "/runs/mpi_latency.json"},
        {"list", "--protocols", TSUNAGI_TEST_CONFIGS "/runs/mpi_latency.json", "--set", "/library/eager=1"},
        {"list", "runs", "--set", "/library/depth=1"}})
    CHECK(run_program(wrong).exit_code == 2);
}

TEST_CASE("list --matrix of a folder without runs has no answers") {
  const TemporaryFolder folder;
  folder.write("runs/broken.json", "{");
  const Ended end = run_program({"list", "--matrix", "--configs", folder.path().string()});
  CHECK(end.exit_code == 0);
  CHECK_THAT(end.out, Catch::Contains("(1) nothing that comes with the program shows it"));
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
