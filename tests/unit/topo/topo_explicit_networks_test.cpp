// SPDX-License-Identifier: Apache-2.0
#include "support/catch.hpp"
#include "support/print.hpp"
#include "support/topo/machine_text.hpp"

namespace topo_explicit_networks_test {

using namespace tsunagi;
using namespace tsunagi::test;
using Peer = topo::Network::Peer;

namespace {

std::string part(const std::string& name) { return "\"" + name + R"(": {"kind": "part"})"; }

std::string link(const std::string& a, const std::string& b, const std::string& more = "") {
  return R"({"ends": [")" + a + R"(", ")" + b + R"("], "wire": {"kind": "cable"})" + more + "}";
}

std::string network(const std::string& name, const std::string& routers,
                    const std::string& routes = R"("kind": "shortest")") {
  return R"({"name": ")" + name + R"(", "routers": [)" + routers + R"(], "routes": {)" + routes + "}}";
}

std::string machine(const std::string& devices, const std::string& links, const std::string& networks) {
  return R"({"kind": "explicit", "devices": {)" + devices + R"(}, "links": [)" + links + R"(], "networks": [)" +
         networks + "]}";
}

/// Three switches in a row, the outer ones with a host each and the middle one with two, one of which is in a group.
const std::string devices = part("h2") + "," + part("s0") + "," + part("s1") + "," + part("s2") + "," + part("h0") +
                            "," + part("h1") + R"(, "node3": {"kind": "group", "devices": {)" + part("nic") + "," +
                            part("cpu") + R"(}, "links": [)" + link("nic.host", "cpu.io") + "]}";
const std::string links = link("s1.west", "s0.x") + "," + link("h0.net", "s0.y") + "," + link("h1.net", "s1.a") + "," +
                          link("s1.b", "node3.nic.net") + "," + link("s1.east", "s2.x") + "," + link("s2.y", "h2.net");
const std::string routers = R"("s0", "s1", "s2")";

std::string failure(const std::string& networks) { return graph_failure(machine(devices, links, networks)); }

std::string table_failure(const std::string& entries) {
  return failure(network("net", routers, R"("kind": "table", "entries": [)" + entries + "]"));
}

}  // namespace

TEST_CASE("an explicit machine's network is made of its links") {
  const topo::Graph g = graph_of_text(machine(devices, links, network("net", routers)));
  REQUIRE(g.networks.size() == 1);
  const topo::Network& net = *g.networks[0];
  CHECK(net.name() == "net");
  REQUIRE(net.routers() == 3);
  CHECK(net.router_name(1) == "s1");
  REQUIRE(net.ports(1) == 4);  // in the order of the links
  CHECK(net.port_name(1, 0) == "west");
  CHECK(net.port_name(1, 1) == "a");
  CHECK(net.port_name(1, 2) == "b");
  CHECK(net.port_name(1, 3) == "east");
  REQUIRE(net.cables().size() == 2);
  CHECK(net.peer(1, 3).kind == Peer::Kind::router);
  CHECK(net.peer(1, 3).number == 2);
  CHECK(net.peer(2, 0).number == 1);
  CHECK(net.cables()[1].wire.pointer == "/machine/topology/links/4");
}

TEST_CASE("terminals are numbered in the order of the devices") {
  const topo::Graph g = graph_of_text(machine(devices, links, network("net", routers)));
  const topo::Network& net = *g.networks[0];
  REQUIRE(net.terminals() == 4);
  const char* const names[] = {"h2", "h0", "h1", "node3.nic"};
  for (const topo::Node& n : g.nodes)
    for (const topo::Place& p : n.places) {
      CHECK(p.network == g.networks[0]);
      if (p.role == topo::Place::Role::router) {
        CHECK(n.name == net.router_name(p.number));
      } else {
        CHECK(n.name == names[p.number]);
        CHECK(p.port == "net");
      }
    }
  CHECK(net.router_of(0) == 2);
  CHECK(net.router_of(1) == 0);
  CHECK(net.port_name(1, net.attachment(3).port) == "b");
  CHECK(net.routes().next(0, topo::trip_of(1, 3)).port == 0);
}

TEST_CASE("a device with two ports is two terminals") {
  const topo::Graph g =
      graph_of_text(machine(part("s") + "," + part("card"), link("card.b", "s.x") + "," + link("s.y", "card.a"),
                            network("net", "\"s\"", R"("kind": "table", "entries": ["s card.a y"])")));
  REQUIRE(g.nodes[1].places.size() == 2);
  CHECK(g.nodes[1].places[0].port == "b");
  CHECK(g.nodes[1].places[1].port == "a");
  CHECK(g.networks[0]->port_name(0, g.networks[0]->attachment(1).port) == "y");
}

TEST_CASE("two networks share the devices that are terminals in both") {
  const topo::Graph g = graph_of_text(
      machine(part("a") + "," + part("b") + "," + part("s") + "," + part("u"),
              link("a.0", "s.0") + "," + link("b.0", "s.1") + "," + link("a.1", "u.0") + "," + link("b.1", "u.1"),
              network("red", "\"s\"") + "," + network("blue", "\"u\"")));
  REQUIRE(g.networks.size() == 2);
  REQUIRE(g.nodes[1].places.size() == 2);
  CHECK(g.nodes[1].places[1].network->name() == "blue");
  CHECK(g.nodes[1].places[1].port == "1");
}

TEST_CASE("a table names ports or the routers behind them") {
  const std::string entries = R"("s0 * s1", "s1 h0 west", "s1 * s2", "s2 h0 s1", "s2 h1 x", "s2 node3.nic s1")";
  const topo::Graph g = graph_of_text(
      machine(devices, links, network("net", routers, R"("kind": "table", "entries": [)" + entries + "]")));
  const topo::Routes& routes = g.networks[0]->routes();
  CHECK(routes.next(0, topo::trip_of(1, 0)).port == 0);
  CHECK(routes.next(0, topo::trip_of(0, 1)).port == 1);  // its own terminal, by its port
  CHECK(routes.next(1, topo::trip_of(1, 0)).port == 3);
  CHECK(routes.next(1, topo::trip_of(0, 1)).port == 0);
}

TEST_CASE("routers that are none or named twice") {
  const std::string at = "/machine/topology/networks/0/routers/";
  CHECK(failure(network("net", R"("s0", "s1", "s3")")) == at + "2: no device \"s3\"; did you mean \"s0\"?");
  CHECK(failure(network("net", R"("s0", "node3")")) ==
        at + "1: no device \"node3\"; devices: h0, h1, h2, node3.cpu, node3.nic, s0, s1, s2");
  CHECK(failure(network("net", R"("s0", "s1", "s0")")) == at + "2: s0 is named twice");
  CHECK(failure(network("a", R"("s0", "s1", "s2")") + "," + network("b", "\"s1\"")) ==
        "/machine/topology/networks/1/routers/0: s1 is a router of network \"a\" already");
  CHECK(failure(network("a", "\"s0\"") + "," + network("a", "\"s1\"")) ==
        "/machine/topology/networks/1/name: a second network \"a\"");
}

TEST_CASE("links that make no network") {
  CHECK(failure(network("a", "\"s0\"") + "," + network("b", R"("s1", "s2")")) ==
        "/machine/topology/links/0: a link between routers of networks \"a\" and \"b\"; what is in two networks is a "
        "terminal in both");
  CHECK(failure(network("net", R"("s0", "s2")")) ==
        "/machine/topology/networks/0: the network falls apart: no cables lead from s0 to s2");
  CHECK(graph_failure(machine(part("s") + "," + part("t"), link("s.a", "s.b"), network("net", "\"s\""))) ==
        "/machine/topology/links/0: a link from s to itself");
  CHECK(graph_failure(machine(part("s") + "," + part("t"), link("s.a", "t.a"), network("net", R"("s", "t")"))) ==
        "no error");
  CHECK(graph_failure(machine(part("s") + "," + part("t"), "", network("net", "\"s\""))) ==
        "/machine/topology/networks/0/routers/0: s has no links");
  CHECK(graph_failure(machine(part("s") + "," + part("t") + "," + part("u"),
                              link("s.a", "t.a") + "," + link("u.a", "s.a"), network("net", "\"s\""))) ==
        "/machine/topology/links/1: port s.a is connected twice: to t.a and to u.a");
}

TEST_CASE("entries that say no route") {
  const std::string at = "/machine/topology/networks/0/routes/entries/";
  CHECK(table_failure(R"("s0 h0")") ==
        at + "0: \"s0 h0\" is no route: it must say router, terminal, and port or next router");
  CHECK(table_failure(R"("s0 * s1", "s9 h0 s1")") == at + "1: the network has no router \"s9\"; did you mean \"s0\"?");
  CHECK(table_failure(R"("s0 node3 s1")") ==
        at + "0: the network has no terminal \"node3\"; terminals: h2, h0, h1, node3.nic");
  CHECK(table_failure(R"("s0 h2 s2")") == at + "0: no cable joins s0 and s2");
  CHECK(table_failure(R"("s0 h2 z")") == at + "0: s0 has no port \"z\" and there is no such router; ports: x, y");
  CHECK(table_failure(R"("s0 h2 y")") == at + "0: s0.y leads to h0, which is no way to h2");
  CHECK(table_failure(R"("s0 * y")") == at + "0: s0.y leads to h0, which is no way to all others");
  CHECK(table_failure(R"("s0 h0 x")") == at + "0: h0 is attached to s0, by y");
  CHECK(table_failure(R"("s0 h2 x", "s1 h0 west", "s0 h2 s1")") ==
        at + "2: a second route from s0 to h2; the first one is entry 0: \"s0 h2 x\"");
  CHECK(table_failure(R"("s0 * x", "s0 * s1")") ==
        at + "1: a second route from s0 to all others; the first one is entry 0: \"s0 * x\"");
}

TEST_CASE("a table with a hole or a circle is told with both ends") {
  const std::string at = "/machine/topology/networks/0/routes: ";
  CHECK(table_failure(R"("s0 * s1", "s2 * s1", "s1 h0 s0")") ==
        at + "packets from h0 to h2 get no further than s1, which has no route to there; their way: s0, s1");
  CHECK(table_failure(R"("s0 * s1", "s2 * s1", "s1 * s0")") ==
        at + "packets from h0 to h2 go round in a circle: s0, s1, s0");
}

TEST_CASE("routes that can deadlock are refused unless they are allowed to") {
  const std::string ring =
      part("a") + "," + part("b") + "," + part("c") + "," + part("x") + "," + part("y") + "," + part("z");
  const std::string cables = link("a.r", "b.l") + "," + link("b.r", "c.l") + "," + link("c.r", "a.l") + "," +
                             link("a.t", "x.0") + "," + link("b.t", "y.0") + "," + link("c.t", "z.0");
  const auto round = [&](const std::string& more) {
    return graph_failure(machine(
        ring, cables,
        network("net", R"("a", "b", "c")", R"("kind": "table", "entries": ["a * b", "b * c", "c * a"])" + more)));
  };
  CHECK(round("") ==
        "/machine/topology/networks/0/routes: packets can wait for each other in a circle of links, and nothing moves "
        "any more: a.r to b, b.r to c, c.r to a; routes of kind \"up_down\" cannot deadlock, and \"allow_deadlock\": "
        "true runs these all the same (`tsunagi draw --show circle` draws it)");
  CHECK(round(R"(, "allow_deadlock": true)") == "no error");
}

TEST_CASE("the root of up and down is a router") {
  CHECK(failure(network("net", routers, R"("kind": "up_down", "root": "h0")")) ==
        "/machine/topology/networks/0/routes/root: the network has no router \"h0\"; did you mean \"s0\"?");
  CHECK(failure(network("net", routers, R"("kind": "up_down", "root": "s2")")) == "no error");
}

TEST_CASE("a link may have a rate and a length of its own") {
  const topo::Graph g = graph_of_text(
      machine(part("a") + "," + part("b") + "," + part("c"),
              link("a.x", "b.x", R"(, "rate": "2 GB/s", "length": "3 m")") + "," + link("b.y", "c.x"), ""));
  CHECK(g.links[0].rate == Rate::bytes_per_second(2'000'000'000));
  CHECK(g.links[0].flight == 15_ns);
  CHECK_FALSE(g.links[1].rate);
  CHECK_FALSE(g.links[1].flight);
  CHECK(graph_failure(machine(part("a") + "," + part("b"), link("a.x", "b.x", R"(, "length": "21 km")"), ""))
            .find("must be at most 20 km, not 21 km") != std::string::npos);
}

}  // namespace topo_explicit_networks_test
