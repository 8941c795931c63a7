// SPDX-License-Identifier: Apache-2.0
#include "support/catch.hpp"
#include "support/topo/machine_text.hpp"

namespace topo_networks_test {

using namespace tsunagi;
using namespace tsunagi::test;
using topo::Place;

namespace {

const std::string group = R"({"kind": "group", "devices": {"chip": {"kind": "part"}, "nic": {"kind": "part"}},
  "links": [{"ends": ["chip.x", "nic.host"], "wire": {"kind": "cable"}}]})";
const std::string parts = R"("router": {"kind": "part"}, "wire": {"kind": "cable"})";

std::string two_networks(const std::string& first, const std::string& second) {
  return R"({"kind": "networks", "nodes": 4, "node": )" + group + R"(, "networks": {"rings": )" + first +
         R"(, "ib": )" + second + "}}";
}
const std::string rings = R"({"kind": "tca", "nodes": 4, "attach": "chip", "cable": {"kind": "cable"}})";
const std::string crossbar = R"({"kind": "crossbar", "terminals": 4, "attach": "nic.net", )" + parts + "}";

std::vector<std::string> all_ends(const topo::Graph& g) {
  std::vector<std::string> out;
  for (const topo::Link& l : g.links) out.push_back(ends_of(g, l));
  return out;
}

std::string error_of(const std::string& topology) {
  try {
    graph_of_text(topology);
  } catch (const config::ConfigError& e) {
    return e.what();
  }
  return {};
}

}  // namespace

TEST_CASE("groups of devices stand at the terminals of any topology") {
  const topo::Graph g =
      graph_of_text(R"({"kind": "ring", "nodes": 2, "node": )" + group + R"(, "attach": "nic.net", )" + parts + "}");
  REQUIRE(g.nodes.size() == 2 + 4);
  CHECK(g.nodes[3].name == "node0.nic");
  REQUIRE(g.nodes[5].places.size() == 1);
  CHECK(g.nodes[5].places[0].role == Place::Role::terminal);
  CHECK(g.nodes[5].places[0].number == 1);
  CHECK(g.nodes[5].places[0].port == "net");
  CHECK(g.nodes[2].places.empty());
  CHECK(all_ends(g) == std::vector<std::string>{"node0.chip.x node0.nic.host", "node1.chip.x node1.nic.host",
                                                "router0.d0+ router1.d0-", "router1.d0+ router0.d0-",
                                                "node0.nic.net router0.t0", "node1.nic.net router1.t0"});
}

TEST_CASE("two networks lie over the same nodes, one of chips inside them, one of routers beside") {
  const topo::Graph g = graph_of_text(two_networks(rings, crossbar));
  REQUIRE(g.networks.size() == 2);
  CHECK(g.networks[0]->name() == "rings");
  CHECK(g.networks[1]->name() == "ib");
  REQUIRE(g.nodes.size() == 9);
  CHECK(g.nodes[8].name == "ib.router0");
  CHECK(g.nodes[8].pointer == "/machine/topology/networks/ib/router");
  CHECK(g.nodes[2].places.at(0).role == Place::Role::router);
  CHECK(g.nodes[2].places.at(0).number == 1);
  CHECK(g.nodes[3].places.at(0).network == g.networks[1]);
  CHECK(all_ends(g) == std::vector<std::string>{"node0.chip.x node0.nic.host", "node1.chip.x node1.nic.host",
                                                "node2.chip.x node2.nic.host", "node3.chip.x node3.nic.host",
                                                "node0.chip.e node1.chip.w", "node1.chip.e node2.chip.w",
                                                "node2.chip.e node3.chip.w", "node3.chip.e node0.chip.w",
                                                "node0.nic.net ib.router0.t0", "node1.nic.net ib.router0.t1",
                                                "node2.nic.net ib.router0.t2", "node3.nic.net ib.router0.t3"});
}

TEST_CASE("a network may be wired to some of the nodes only, from the one on that it names") {
  const topo::Graph g = graph_of_text(two_networks(
      rings, R"({"kind": "crossbar", "terminals": 2, "first_node": 2, "attach": "nic.net", )" + parts + "}"));
  CHECK(ends_of(g, g.links.back()) == "node3.nic.net ib.router0.t1");
  CHECK(g.nodes[5].name == "node2.nic");
  CHECK(g.nodes[5].places.at(0).number == 0);
}

TEST_CASE("single nodes may be unlike the others, which share one config") {
  const topo::Graph g = graph_of_text(R"({"kind": "networks", "nodes": 3, "node": )" + group + R"(,
    "overrides": {"node1": {"kind": "group", "devices": {"nic": {"kind": "part"}}}}, "networks": {
    "ib": {"kind": "crossbar", "terminals": 3, "attach": "nic.net", )" +
                                      parts + "}}}");
  REQUIRE(g.nodes.size() == 6);
  CHECK(g.nodes[2].name == "node1.nic");
  CHECK(g.nodes[2].pointer == "/machine/topology/overrides/node1/devices/nic");
  CHECK(g.nodes[2].config.object() != g.nodes[1].config.object());
  CHECK(g.nodes[4].config.object() == g.nodes[1].config.object());
  CHECK(g.nodes[2].places.at(0).number == 1);
  CHECK(
      error_of(
          R"({"kind": "ring", "nodes": 3, "terminal": {"kind": "part"}, "overrides": {"terminal3": {"kind": "part"}}, )" +
          parts + "}")
          .find("there is no such node; there are terminal0 to terminal2") != std::string::npos);
}

TEST_CASE("networks that do not go together are refused, both ends named") {
  CHECK(error_of(two_networks(crossbar, crossbar))
            .find("networks \"rings\" and \"ib\" claim the same port, nic.net of "
                  "node 0") != std::string::npos);
  CHECK(error_of(two_networks(rings, R"({"kind": "crossbar", "terminals": 5, "attach": "nic.net", )" + parts + "}"))
            .find("has 5 terminals from node 0 on, but there are 4 nodes") != std::string::npos);
  CHECK(error_of(two_networks(rings, R"({"kind": "crossbar", "terminals": 4, "attach": "nik.net", )" + parts + "}"))
            .find("a node has no device \"nik\"; did you mean \"nic\"?") != std::string::npos);
  CHECK(error_of(two_networks(rings, R"({"kind": "crossbar", "terminals": 4, )" + parts + "}"))
            .find("\"attach\" must say device.port") != std::string::npos);
  CHECK(error_of(two_networks(rings, R"({"kind": "explicit", "devices": {"a": {"kind": "part"}}})"))
            .find("cannot be of kind \"explicit\"") != std::string::npos);
  CHECK(
      error_of(two_networks(rings, R"({"kind": "crossbar", "terminals": 4, "node": {"kind": "part"}, )" + parts + "}"))
          .find("the nodes of all networks are said once") != std::string::npos);
  const auto named = [](const std::string& name) {
    return error_of(R"({"kind": "networks", "nodes": 4, "node": )" + group + R"(, "networks": {")" + name +
                    "\": " + crossbar + "}}");
  };
  CHECK(named("node3").find("/networks/node3: network \"node3\" is called as a node is") != std::string::npos);
  CHECK(named("node4").empty());
  CHECK(error_of(R"({"kind": "crossbar", "terminals": 4, )" + parts + "}").find("missing required field \"node\"") !=
        std::string::npos);
}

}  // namespace topo_networks_test
