// SPDX-License-Identifier: Apache-2.0
// What a user gets wrong of networks of one's own: named with both ends and its place before anything runs, exit 2.
#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace own_networks_refused_test {

using namespace tsunagi::test;

namespace {

const std::string configs = TSUNAGI_TEST_CONFIGS;

Ended run_set(const std::string& run, const std::vector<std::string>& sets) {
  std::vector<std::string> arguments = {"run", configs + "/runs/" + run};
  for (const std::string& s : sets) {
    arguments.emplace_back("--set");
    arguments.push_back(s);
  }
  return run_program(arguments);
}

void expect_refused(const std::string& run, const std::vector<std::string>& sets, const std::string& says) {
  const Ended end = run_set(run, sets);
  CAPTURE(run, sets, end.err);
  CHECK(end.exit_code == 2);
  CHECK(end.out.empty());
  CHECK_THAT(end.err, Catch::Contains(says));
}

/// A machine of the shipped three switches with a table as a text file of its own.
std::string with_table(const TemporaryFolder& folder, const std::string& entries) {
  folder.write("routes.txt", entries);
  return folder
      .write("machine.json", "{\"$use\": \"" + configs +
                                 R"(/machines/three_switches.json", "topology": {"networks": [)" +
                                 R"({"name": "net", "routers": ["s0", "s1", "s2"], "routes": {"kind": "table",)" +
                                 R"( "entries": {"$lines": "routes.txt"}}}]}})")
      .string();
}

void expect_table_refused(const std::string& entries, const std::string& says) {
  const TemporaryFolder folder;
  const Ended end = run_program({"validate", with_table(folder, entries)});
  CAPTURE(entries, end.err);
  CHECK(end.exit_code == 2);
  CHECK_THAT(end.err + end.out, Catch::Contains(says));
}

}  // namespace

TEST_CASE("a table with a hole or a circle names the pair and the routers on its way") {
  const TemporaryFolder folder;
  CHECK(run_program({"validate", with_table(folder, "s0 * s1\ns1 * s2\ns1 node0.nic west\ns1 node3.nic s0\ns2 * s1\n")})
            .exit_code == 0);
  expect_table_refused("s0 * s1\ns2 * s1\ns1 node0.nic s0\ns1 node3.nic s0\n",
                       "/topology/networks/0/routes: packets from node0.nic to node1.nic get no further than s1, which "
                       "has no route to there; their way: s0, s1");
  expect_table_refused(
      "s0 * s1\ns1 * s0\ns2 * s1\n",
      "/topology/networks/0/routes: packets from node0.nic to node1.nic go round in a circle: s0, s1, s0");
  expect_table_refused(
      "s0 * s1\ns1 * s2\ns2 * s0\n",
      "in a circle of links, and nothing moves any more: s0.east to s1, s1.east to s2, s2.east to s0;");
}

TEST_CASE("a table's faults are told at the lines of its file") {
  expect_table_refused(
      "# all over s1\ns0 * s1\n\ns1 node4.nic s2\n",
      "routes.txt:4:1: /topology/networks/0/routes/entries/1: the network has no terminal \"node4.nic\"; "
      "did you mean \"node0.nic\"?");
}

TEST_CASE("an edge list with a node too many is told at the line that names it") {
  expect_refused("arpanet_traffic.json", {"/machine/topology/routers=12"},
                 "arpanet_1970.txt:18:1: /machine/topology/edges/15: router \"...\" is one too many: \"routers\" "
                 "is 12");
  expect_refused("arpanet_traffic.json", {"/machine/topology/routers=14"},
                 "the edges name 13 routers, but \"routers\" is 14");
}

TEST_CASE("more terminals than the routers have ports") {
  expect_refused("arpanet_traffic.json", {"/machine/topology/ports=6", "/machine/topology/terminals=3"},
                 "router \"sri\" has 4 edges and 3 terminals, but \"ports\" is 6");
}

TEST_CASE("shortest routes that can deadlock are refused and with leave they do") {
  expect_refused("arpanet_traffic.json", {R"(/machine/topology/routes={"kind": "shortest"})"},
                 "packets can wait for each other in a circle of links, and nothing moves any more: sri.p1 to ucla, "
                 "ucla.p3 to rand, rand.p1 to sdc, sdc.p0 to utah, utah.p0 to sri; routes of kind \"up_down\" cannot "
                 "deadlock, and \"allow_deadlock\": true runs these all the same");
  const std::vector<std::string> narrow = {
      "/machine/topology/router/virtual_channels=1", "/machine/topology/wire/virtual_channels=1",
      "/machine/topology/router/buffer_flits=5", R"(/machine/topology/wire/max_payload="64 B")",
      R"(/scenario/loads=["60 %"])"};
  std::vector<std::string> allowed = narrow;
  allowed.emplace_back(R"(/machine/topology/routes={"kind": "shortest", "allow_deadlock": true})");
  const Ended stuck = run_set("arpanet_traffic.json", allowed);
  CHECK(stuck.exit_code == 1);
  CHECK_THAT(stuck.err,
             Catch::Contains("no progress is possible any more") &&
                 Catch::Contains("sdc.p1 - rand.p1 waits for VC 0 credits of rand.p1") &&
                 Catch::Contains("\npackets can wait for each other in a circle of links: sri.p1 to ucla, "));
  CHECK(run_set("arpanet_traffic.json", narrow).exit_code == 0);  // up*/down* under the same load
}

TEST_CASE("the root of up and down routes and routers are devices") {
  expect_refused("arpanet_traffic.json", {"/machine/topology/routes/root=uta"},
                 "/machine/topology/routes/root: the network has no router \"uta\"; did you mean \"utah\"?");
  expect_refused("three_switches_ping_pong.json", {R"(/machine/topology/networks/0/routers=["s0", "s1", "s3"])"},
                 "/machine/topology/networks/0/routers/2: no device \"s3\"; did you mean \"s0\"?");
  expect_refused("three_switches_ping_pong.json", {R"(/machine/topology/networks/0/routers=["s0", "s1"])"},
                 "s2: a router takes its place from a topology; in an explicit one, from its \"networks\"");
}

TEST_CASE("a rate of a PCIe link follows from its generation and width") {
  expect_refused("tca_ping_pong.json", {R"(/machine/topology/links/0/rate="1 GB/s")"},
                 "/machine/topology/links/0: a pcie link's rate follows from its generation and width");
}

TEST_CASE("a length is a flight of 5 ns a metre") {
  const auto rows = [](const std::string& set) {
    const Ended end = run_program({"run", configs + "/runs/tca_ping_pong.json", "--format", "csv", "--set", set,
                                   "--set", "/scenario/iterations=2", "--set", R"(/scenario/sizes=["8 B", "4 KiB"])"});
    CHECK(end.exit_code == 0);
    return end.out;
  };
  CHECK(rows(R"(/machine/topology/links/0/length="20 m")") ==
        rows(R"(/machine/topology/links/0/wire/flight="100 ns")"));
  CHECK(rows(R"(/machine/topology/links/0/length="20 m")") != rows(R"(/machine/topology/links/0/length="21 m")"));
  expect_refused("tca_ping_pong.json", {R"(/machine/topology/links/0/length="20")"},
                 "/machine/topology/links/0/length: \"20\" needs a unit, for example \"3 m\"");
  expect_refused("tca_ping_pong.json", {R"(/machine/topology/links/0/length=20)"},
                 "/machine/topology/links/0/length: needs a unit, for example \"3 m\"");
}

}  // namespace own_networks_refused_test
