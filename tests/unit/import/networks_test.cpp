// SPDX-License-Identifier: Apache-2.0
// Files about networks: ibnetdiscover, BookSim's anynet, topologies of ns-3.
#include <chrono>

#include "unit/import/imported.hpp"

namespace networks_test {

using namespace tsunagi;
using namespace tsunagi::test;
using nlohmann::json;

namespace {

json topology_of(const importing::Imported& in) { return machine_of(in)["topology"]; }

std::string sw(const std::string& guid, const std::string& ports) {
  return "vendid=0x2c9\nswitchguid=0x1(1)\nSwitch\t36 \"" + guid + "\"\t# \"" + guid + "-name\" base port 0\n" + ports +
         "\n";
}
std::string ca(const std::string& guid, const std::string& ports) {
  return "caguid=0x2\nCa\t2 \"" + guid + "\"\t# \"" + guid + "-name\"\n" + ports + "\n";
}
std::string port(int number, const std::string& to, int at, const std::string& speed = "4xFDR") {
  return "[" + std::to_string(number) + "](abc) \t\"" + to + "\"[" + std::to_string(at) + "](def)\t# \"x\" lid 3 " +
         speed + "\n";
}
/// Two switches with a host each, of which both ends of each cable are told.
std::string fabric(const std::string& speed = "4xFDR") {
  return sw("S-1", port(1, "H-1", 1, speed) + port(2, "S-2", 2, speed)) +
         sw("S-2", port(2, "S-1", 2, speed) + port(1, "H-2", 1, speed)) + ca("H-1", port(1, "S-1", 1, speed)) +
         ca("H-2", port(1, "S-2", 1, speed));
}

}  // namespace

TEST_CASE("ibnetdiscover: cables are told by both ends and are one, hosts are where they are attached") {
  const auto in = imported("#\n# Topology file\n#\n" + fabric());
  const json t = topology_of(in);
  CHECK(t["edges"] == json({"s0 s1"}));
  CHECK(t["terminals_at"] == json({"s0 1", "s1 1"}));
  CHECK(t["wire"]["$use"] == "parts/infiniband_fdr_4x.json");
  CHECK(t["node"]["$use"] == "parts/ib_node.json");
  CHECK_THAT(in.machine, Catch::Contains("S-1-name S-1; 0 is H-1-name"));
  CHECK_THAT(in.otherwise, Catch::Contains("\"up_down\", \"root\": \"s0\""));
  // One end is enough, and parallel cables are several.
  const auto half = imported(sw("S-1", port(1, "H-1", 1) + port(2, "S-2", 2) + port(3, "S-2", 3)) +
                             sw("S-2", port(4, "H-2", 1)) + ca("H-1", "") + ca("H-2", ""));
  CHECK(topology_of(half)["edges"] == json({"s0 s1", "s0 s1"}));
  CHECK(topology_of(half)["terminals_at"] == json({"s0 1", "s1 1"}));
}

TEST_CASE("ibnetdiscover: one switch is a crossbar") {
  const json t =
      topology_of(imported(sw("S-1", port(1, "H-1", 1) + port(2, "H-2", 1)) + ca("H-1", "") + ca("H-2", "")));
  CHECK(t["kind"] == "crossbar");
  CHECK(t["terminals"] == 2);
}

TEST_CASE("ibnetdiscover: speeds have their wires, what is faster has EDR") {
  CHECK(warnings(imported(fabric())) ==
        "file:1:1: the file does not say what hosts are: part ib_node stands for each\n");
  CHECK(topology_of(imported(fabric("4xQDR")))["node"]["$use"] == "parts/ib_node_qdr.json");
  CHECK(topology_of(imported(fabric("4xDDR")))["wire"]["speed"] == "ddr");
  const json edr = topology_of(imported(fabric("4xEDR")));
  CHECK(edr["router"]["speed"] == "edr");
  CHECK(edr["node"]["devices"]["hca"]["speed"] == "edr");
  CHECK_THAT(warnings(imported(fabric("4xNDR"))), Catch::Contains("no wire of NDR: EDR, 12.1 GB/s, stands for it"));
  CHECK_THAT(warnings(imported(fabric("12xFDR"))), Catch::Contains("taken as 4x"));
  CHECK_THAT(warnings(imported(fabric(""))), Catch::Contains("does not say how fast links are"));
  CHECK_THAT(warnings(imported(fabric() + sw("S-3", port(1, "S-1", 9, "4xSDR")))),
             Catch::Contains("all are taken as FDR"));
}

TEST_CASE("ibnetdiscover: what is wrong is told at its line") {
  CHECK_THAT(faults(fabric() + sw("S-1", "")), Catch::Contains("node \"S-1\" a second time"));
  CHECK_THAT(faults(sw("S-1", port(1, "H-1", 1) + port(1, "H-2", 1) + "[x] y\n") + ca("H-1", "")),
             Catch::Contains("file:5:1: port 1 of \"S-1\" a second time") && Catch::Contains("file:6:1: is no port"));
  CHECK_THAT(faults(sw("S-1", port(1, "H-9", 1))), Catch::Contains("leads to \"H-9\", which is no node of the file"));
  CHECK_THAT(faults(sw("S-1", port(1, "H-1", 1)) + ca("H-1", port(1, "S-1", 2))),
             Catch::Contains("which leads elsewhere"));
  CHECK_THAT(faults(ca("H-1", port(1, "H-2", 1)) + ca("H-2", "") + sw("S-1", "")), Catch::Contains("without a switch"));
  CHECK_THAT(faults(fabric() + sw("S-3", "")), Catch::Contains("no cables lead from s0 to s2"));
  CHECK_THAT(faults(sw("S-1", "")), Catch::Contains("a network of fewer than two hosts"));
  CHECK_THAT(faults("[1] \"S\"[1]\nSwitch 3\nword\n", "ibnetdiscover"), Catch::Contains("a port before any node") &&
                                                                            Catch::Contains("without its GUID") &&
                                                                            Catch::Contains("\"word\" begins no line"));
  CHECK_THAT(warnings(imported(fabric() + ca("H-3", port(1, "S-1", 5) + port(2, "S-2", 5)))),
             Catch::Contains("ports of hosts behind their first one"));
  const auto odd = imported("Switch 4 \"S-1\" # \"*/ \x1b[31m}\"\n" + port(1, "H-1", 1) + port(2, "H-2", 1) +
                            ca("H-1", "") + ca("H-2", ""));
  CHECK_THAT(odd.machine, Catch::Contains(R"(* / \x1b[31m})"));
  CHECK(topology_of(odd)["terminals"] == 2);
}

TEST_CASE("anynet: routers, nodes and latencies, either way round") {
  const auto in = imported("router 0 node 0 router 1 5\nrouter 1 node 1 router 0 5 // back\n# note\nnode 2 router 1\n");
  CHECK(topology_of(in)["edges"] == json({"0 1 5 ns"}));
  CHECK(topology_of(in)["terminals_at"] == json({"0 1", "1 2"}));
  CHECK(in.warnings.empty());
  // Numbers in their order, as the edge list numbers terminals.
  CHECK_THAT(imported("router 7 node 0 router 3\nrouter 3 node 1\n").machine, Catch::Contains("router 3; 0 is node 1"));
  CHECK_THAT(warnings(imported("router 0 node 0 4 router 1 5\nrouter 1 node 1 router 0 6\n")),
             Catch::Contains("two directions of a channel differ") && Catch::Contains("latencies between nodes"));
  CHECK_THAT(faults("router 0 node 0 router 0\nrouter 1 node 0 router -1\nrouter 1 node 1 router 2 0\nnode 1 node "
                    "2\nrouter 2 x\n"),
             Catch::Contains("file:1:1: a channel from router 0 to itself") &&
                 Catch::Contains("file:2:1: node 0 at a second router") &&
                 Catch::Contains("file:3:1: \"0\" is no latency") && Catch::Contains("file:4:1: a node at a node") &&
                 Catch::Contains("file:5:1: \"x\" is no latency"));
  CHECK_THAT(faults("router 0 node 0 node 1\nrouter 1 node 2 node 3\n"), Catch::Contains("no cables lead from 0 to 1"));
  CHECK_THAT(faults("# nothing\n", "anynet"), Catch::Contains("has no router"));
}

TEST_CASE("ns-3: rates and delays of links, hosts by their first one") {
  const auto in = imported(
      "5 2 5\n3 4\n0 3 25Gbps 500ns 0\n1 4 25Gbps 0.5us 0\n3 4 100Gbps 0.001ms 0\n4 3 0.4Tbps 1us 0\n2 4 25Gbps 500ns "
      "0\n");
  const json t = topology_of(in);
  CHECK(t["edges"] == json({"3 4 100 Gbps 1000 ns", "4 3 400 Gbps 1000 ns"}));
  CHECK(t["terminals_at"] == json({"3 1", "4 2"}));
  CHECK(t["terminal_wire"]["bandwidth"] == "25 Gbps");
  CHECK(t["terminal_wire"]["flight"] == "500 ns");
  CHECK(in.warnings.empty());
  CHECK_THAT(warnings(imported("4 1 4\n3\n0 3 25Gbps 1us 0.1\n1 3 50Gbps 1us 0\n2 3 25Gbps 1us 0\n2 3 25Gbps 1us 0\n")),
             Catch::Contains("rates of errors are left out") && Catch::Contains("links of hosts differ"));
  CHECK(imported("3 1 2\n2\n0 2 25Gbps 1us\n1 2 25Gbps 0ns\n").warnings.size() == 1);  // their delays differ
  CHECK(imported("3 1 2\n2\n0 2 25Gbps 1us\n1 2 25Gbps 1us\n").warnings.empty());
  const std::string head = "4 2 1\n2 3\n";
  for (const auto& [link, says] :
       {std::pair("0 2 25 1us 0", "\"25\" is no rate"), std::pair("0 2 1Kbps 1us 0", "is no rate"),
        std::pair("0 2 nanGbps 1us 0", "is no rate"), std::pair("0 2 1Gbps 1 0", "\"1\" is no delay"),
        std::pair("0 2 1Gbps -1ns 0", "is no delay"), std::pair("0 2 1Gbps 1s 0", "is no delay"),
        std::pair("0 2 1Gbps 1us 2", "is no rate of errors"),
        std::pair("0 4 1Gbps 1us 0", "\"4\" is no id from 0 to 3"),
        std::pair("0 1 1Gbps 1us 0", "from host 0 to host 1"), std::pair("2 2 1Gbps 1us 0", "to itself"),
        std::pair("0 2", "is no link")})
    CHECK_THAT(faults(head + link + "\n"), Catch::Contains("file:3:1: ") && Catch::Contains(says));
  CHECK_THAT(faults("4 2 2\n2 3\n0 2 1Gbps 1us 0\n"),
             Catch::Contains("file:1:1: says that there are 2 links, there are 1"));
  CHECK_THAT(faults("4 3 1\n2 3\n"), Catch::Contains("says that there are 3 switches, names 2"));
  CHECK_THAT(faults("4 1 1\n2 3\n"), Catch::Contains("names more than 1 switches"));
  CHECK_THAT(faults("4 2 1\n2 2\n"), Catch::Contains("switch 2 twice"));
  CHECK_THAT(faults("4 0 1\n2 2\n"), Catch::Contains("a network without switches"));
  CHECK_THAT(faults("-4 2 1\n2 2\n", "ns3"), Catch::Contains("is not \"nodes switches links\""));
}

TEST_CASE("networks: hostile files are refused soon") {
  const auto begin = std::chrono::steady_clock::now();
  std::string many = "40000 1 39999\n39999\n";
  for (int i = 0; i < 39'999; ++i) many += std::to_string(i) + " 39999 1Gbps 1us 0\n";
  CHECK_THAT(faults(many),
             Catch::Contains("39999 hosts; machines have up to 30000") && Catch::Contains("hosts at one switch"));
  std::string star = "router 0 node 0 node 1";
  for (int i = 1; i < 100'000; ++i) star += " router " + std::to_string(i);
  CHECK_THAT(faults(star), Catch::Contains("99999 cables at one switch"));
  CHECK_THAT(faults(times(100'000, "Switch 4 \"S\"\n")), Catch::Contains("a second time"));
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
}

}  // namespace networks_test
