// SPDX-License-Identifier: Apache-2.0
#include "support/catch.hpp"
#include "support/print.hpp"
#include "support/topo/machine_text.hpp"

namespace topo_edge_list_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

std::string quoted(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& l : lines) out += (out.empty() ? "\"" : ", \"") + l + "\"";
  return "[" + out + "]";
}

std::string topology(const std::vector<std::string>& edges, const std::string& more = "",
                     const std::string& routes = R"("kind": "shortest", "allow_deadlock": true)") {
  return R"({"kind": "edge_list", "edges": )" + quoted(edges) + R"(, "routes": {)" + routes + R"(}, "router": )" +
         R"({"kind": "part", "number": 1}, "terminal": {"kind": "part"}, "wire": {"kind": "cable", "number": 3})" +
         more + "}";
}

topo::Graph graph(const std::vector<std::string>& edges, const std::string& more = "") {
  return graph_of_text(topology(edges, more));
}

std::string failure(const std::vector<std::string>& edges, const std::string& more = "") {
  return graph_failure(topology(edges, more));
}

std::vector<std::string> router_names(const topo::Graph& g) {
  std::vector<std::string> out;
  for (int r = 0; r < g.networks[0]->routers(); ++r) out.push_back(g.networks[0]->router_name(r));
  return out;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("numbers are routers in their order and names behind them as they come") {
  CHECK(router_names(graph({"x 10", "10 9", "9 2", "2 x", "core 2", "0 x"})) ==
        Names{"router0", "router2", "router9", "router10", "x", "core"});
}

TEST_CASE("ports are numbered in the order of the edges and terminals follow") {
  const topo::Graph g = graph({"1 0", "0 2", "1 2", "1 0"}, R"(, "terminals": 2)");
  CHECK(g.nodes.size() == 3 + 6);
  REQUIRE(g.links.size() == 4 + 6);
  CHECK(ends_of(g, g.links[0]) == "router1.p0 router0.p0");
  CHECK(ends_of(g, g.links[1]) == "router0.p1 router2.p0");
  CHECK(ends_of(g, g.links[2]) == "router1.p1 router2.p1");
  CHECK(ends_of(g, g.links[3]) == "router1.p2 router0.p2");  // parallel to the first
  CHECK(ends_of(g, g.links[4]) == "terminal0.net router0.t0");
  CHECK(ends_of(g, g.links[9]) == "terminal5.net router2.t1");
  CHECK(g.nodes[0].config.object() == g.nodes[2].config.object());
  CHECK(g.nodes[2].places.at(0).number == 2);
}

TEST_CASE("an edge may have a delay in place of a length, and a rate in bits") {
  const topo::Graph g = graph({"0 1 25 Gbps 15 ns", "1 2 1us", "2 3 0 ns", "3 0 100 Gb/s 3 m"});
  CHECK(g.links[0].rate == Rate::bytes_per_second(3'125'000'000));
  CHECK(g.links[0].flight == 15_ns);
  CHECK_FALSE(g.links[1].rate);
  CHECK(g.links[1].flight == 1_us);
  CHECK(g.links[2].flight == 0_ns);
  CHECK(g.links[2].pointer == "/machine/topology/edges/2");
  CHECK(g.links[3].rate == Rate::bytes_per_second(12'500'000'000));
  CHECK(g.links[3].flight == 15_ns);
}

TEST_CASE("single routers may have another number of terminals") {
  const topo::Graph g = graph({"0 1", "1 2", "2 spine"}, R"(, "terminals_at": ["spine 0", "1 3"])");
  REQUIRE(g.networks[0]->terminals() == 5);
  CHECK(g.networks[0]->router_of(1) == 1);
  CHECK(g.networks[0]->router_of(3) == 1);
  CHECK(g.networks[0]->router_of(4) == 2);
}

TEST_CASE("an edge may have a rate and a length in any form") {
  const topo::Graph g = graph({"0 1 8 GB/s 3 m", "1 2 50cm", "2 3 2.5 Gb/s", "3 4 1.5 m 1GB/s", "4 5"});
  CHECK(g.links[0].rate == Rate::bytes_per_second(8'000'000'000));
  CHECK(g.links[0].flight == 15_ns);
  CHECK(g.links[0].pointer == "/machine/topology/edges/0");
  CHECK_FALSE(g.links[1].rate);
  CHECK(g.links[1].flight == 2500_ps);
  CHECK(g.links[2].rate == Rate::bytes_per_second(312'500'000));
  CHECK_FALSE(g.links[2].flight);
  CHECK(g.links[3].rate == Rate::bytes_per_second(1'000'000'000));
  CHECK(g.links[3].flight == 7500_ps);
  CHECK_FALSE(g.links[4].rate);
  CHECK(g.links[4].pointer == "/machine/topology/wire");
}

TEST_CASE("routers and terminals of tables may be named by their numbers") {
  const topo::Graph g = graph_of_text(topology(
      {"0 1", "1 2"}, "", R"("kind": "table", "entries": ["0 * 1", "router1 0 p0", "1 terminal2 2", "2 * router1"])"));
  CHECK(g.networks[0]->routes().next(1, topo::trip_of(0, 2)).port == 1);
}

TEST_CASE("edges that are none") {
  const std::string at = "/machine/topology/edges/";
  CHECK(failure({"0 1", "1"}) == at + "1: \"1\" is no edge: it must name the two routers that it joins");
  CHECK(failure({"0 1", "a a"}) == at + "1: an edge from a to itself");
  const std::string written =
      " is no rate, length or delay of a cable; write for example \"8 GB/s\", \"25 Gbps\", "
      "\"3 m\" or \"15 ns\"";
  CHECK(failure({"0 1 3"}) == at + "0: \"3\"" + written);
  CHECK(failure({"0 1 3 miles"}) == at + "0: \"3 miles\"" + written);
  CHECK(failure({"0 1 3 m 15 ns"}) == at + "0: a second delay, \"15 ns\"");
  CHECK(failure({"0 1 1 ms"}) == at + "0: a delay of 1 ms; cables have up to 100 us");
  CHECK_THAT(failure({"0 1 0.5 fs"}), Catch::StartsWith(at + "0: \"0.5 fs\" is not a whole multiple of 1 fs"));
  CHECK(failure({"0 1 3 m 4 m"}) == at + "0: a second length, \"4 m\"");
  CHECK(failure({"0 1 1 GB/s 1 GB/s"}) == at + "0: a second rate, \"1 GB/s\"");
  CHECK(failure({"0 1 1 kB/s"}) == at + "0: a rate of 1 kB/s; links have at least 1 MB/s");
  CHECK(failure({"0 1 0 m"}) == at + "0: a length of 0 m; cables have up to 20 km");
  CHECK(failure({"0 1", "1 a.b"}) == at + "1: \"a.b\" is no name of a router");
  CHECK(failure({"7 1", "router7 1"}) == at + "1: ids \"7\" and \"router7\" are both router7");
  CHECK(failure({"0 terminal7"}) == at + "0: \"terminal7\" is what terminals are called: no router can be");
  CHECK(failure({"0 1", "2 3"}) ==
        "/machine/topology: the network falls apart: no cables lead from router0 to router2");
}

TEST_CASE("an edge list with a node too many or too few") {
  CHECK(failure({"0 1", "1 2", "2 3"}, R"(, "routers": 3)") ==
        "/machine/topology/edges/2: router \"3\" is one too many: \"routers\" is 3");
  CHECK(failure({"0 1", "1 2"}, R"(, "routers": 4)") ==
        "/machine/topology: the edges name 3 routers, but \"routers\" is 4");
  CHECK(failure({"0 1", "1 2"}, R"(, "routers": 3)") == "no error");
}

TEST_CASE("more terminals than the routers have ports") {
  CHECK(failure({"0 1", "1 2"}, R"(, "ports": 5, "terminals": 4)") ==
        "/machine/topology: router \"1\" has 2 edges and 4 terminals, but \"ports\" is 5");
  CHECK(failure({"0 1", "1 2"}, R"(, "ports": 6, "terminals": 4)") == "no error");
}

TEST_CASE("terminals at routers that there are not, or said twice") {
  const std::string at = "/machine/topology/terminals_at/";
  CHECK(failure({"core0 core1"}, R"(, "terminals_at": ["core2 3"])") ==
        at + "0: no edge names \"core2\"; did you mean \"core0\"?");
  CHECK(failure({"0 1"}, R"(, "terminals_at": ["0 1", "0 2"])") == at + "1: the terminals at \"0\" were said before");
  CHECK(failure({"0 1"}, R"(, "terminals_at": ["0 many"])") ==
        at + "0: \"0 many\" is not \"id number\", with up to 9999 terminals");
  CHECK(failure({"0 1"}, R"(, "terminals": 0)") == "/machine/topology: the network has no terminals");
  CHECK(failure({"0 1"}, R"(, "terminals": 4096, "terminals_at": ["0 9999", "1 9999"])") == "no error");
  CHECK(failure({"0 1", "1 2", "2 3"}, R"(, "terminals_at": ["0 9999", "1 9999", "2 9999", "3 9999"])")
            .find("at most 30000 terminals in all") != std::string::npos);
}

TEST_CASE("an edge list among several networks is told of at its own place") {
  const auto both = [](const std::string& edges) {
    return R"({"kind": "networks", "nodes": 2, "node": {"kind": "part"}, "networks": {"mgmt": {"kind": "edge_list",)"
           R"( "edges": [)" +
           edges +
           R"(], "attach": "eth", "routes": {"kind": "up_down", "root": "sw"}, "router": )"
           R"({"kind": "part"}, "wire": {"kind": "cable"}}}})";
  };
  const topo::Graph g = graph_of_text(both(R"("sw leaf")"));
  CHECK(g.nodes[2].name == "mgmt.sw");
  CHECK(ends_of(g, g.links[1]) == "node0.eth mgmt.sw.t0");
  CHECK(graph_failure(both(R"("sw sw")")) == "/machine/topology/networks/mgmt/edges/0: an edge from sw to itself");
}

}  // namespace topo_edge_list_test
