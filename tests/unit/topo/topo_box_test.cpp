// SPDX-License-Identifier: Apache-2.0
// Switches that are boxes of several.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/topo/machine_text.hpp"
#include "support/topo/networks.hpp"
#include "topo/routes/loads.hpp"

namespace topo_box_test {

using namespace tsunagi;
using namespace tsunagi::test;
using Catch::Matchers::Contains;
using topo::Network;

namespace {

/// A box of those chips; parts 4 are chips, cables 5 inside.
std::string box(const std::string& kind, const std::string& fields, const std::string& more = "") {
  return R"({"kind": "box", "network": {"kind": ")" + kind + "\", " + fields +
         R"(, "router": {"kind": "part", "number": 4}, "wire": {"kind": "cable", "number": 5})" + more + "}}";
}
/// 32 ports, eight chips of four of them and four behind these.
std::string box_32() { return box("fat_tree", R"("radix": 8, "levels": 2)"); }

std::string machine(const std::string& kind, const std::string& fields, const std::string& router) {
  return R"({"kind": ")" + kind + "\", " + fields + R"(, "router": )" + router +
         R"(, "terminal": {"kind": "part", "number": 2}, "wire": {"kind": "cable", "number": 3}})";
}

int chips_between(const Network& n, int from, int to) {
  int out = 0;
  n.walk(from, to, [&out](int, topo::Hop) { ++out; });
  return out;
}

}  // namespace

TEST_CASE("a box of twelve chips: one chip within four ports, else three") {
  const topo::Graph g = graph_of_text(machine("crossbar", R"("terminals": 32)", box_32()));
  const SharedNetwork n = g.networks.front();
  CHECK(n->routers() == 12);
  CHECK(n->terminals() == 32);
  CHECK(n->cables().size() == 32);
  CHECK(n->router_name(0) == "router0.router0");
  CHECK(g.nodes[0].name == "router0.router0");
  CHECK(g.nodes[0].config.as<PartConfig>().number == 4);
  for (int from = 0; from < 32; ++from)
    for (int to = 0; to < 32; ++to) REQUIRE(chips_between(*n, from, to) == (from / 4 == to / 4 ? 1 : 3));
  CHECK_FALSE(can_deadlock(n, 1));
  // All ports to all: 28 destinations elsewhere from four ports, over four wires inwards.
  const topo::Loads loads(*n, [](int from, int to) { return from == to ? 0 : 1; });
  for (int chip = 0; chip < 8; ++chip)
    for (int p = 4; p < 8; ++p) REQUIRE(loads.of(chip, p) == 28);
}

TEST_CASE("wires inside a box are its own, those between boxes the network's") {
  const topo::Graph g =
      graph_of_text(machine("fat_tree", R"("radix": 8, "levels": 2)", box("crossbar", R"("terminals": 8)")));
  CHECK(g.networks.front()->routers() == 12);  // boxes of one chip change nothing but the names
  CHECK(g.networks.front()->cables().size() == 32);
  const topo::Graph h =
      graph_of_text(machine("crossbar", R"("terminals": 8)", box("fat_tree", R"("radix": 4, "levels": 2)")));
  std::map<int, int> wires;
  for (const topo::Link& l : h.links) {
    const int number = l.wire.as<PartConfig>().number;
    ++wires[number];
    CHECK(l.pointer == (number == 5 ? "/machine/topology/router/network/wire" : "/machine/topology/wire"));
  }
  CHECK(wires == std::map<int, int>{{3, 8}, {5, 8}});
  CHECK(h.nodes[0].pointer == "/machine/topology/router/network/router");
}

TEST_CASE("256 nodes at boxes: every pair arrives by one box or three, all cables alike, nothing can deadlock") {
  const topo::Graph g = graph_of_text(machine("fat_tree", R"("radix": 32, "levels": 2, "cables": [2])", box_32()));
  const SharedNetwork n = g.networks.front();
  REQUIRE(n->terminals() == 256);
  REQUIRE(n->routers() == 24 * 12);
  REQUIRE(n->cables().size() == 256 + 24 * 32);
  CHECK_FALSE(n->refusal());
  std::set<int> depths;
  for (int from = 0; from < 256; ++from)
    for (int to = 0; to < 256; ++to) {
      std::set<int> boxes;
      int chips = 0;
      n->walk(from, to, [&](int at, topo::Hop) {
        boxes.insert(at / 12);
        ++chips;
      });
      REQUIRE(boxes.size() == (from / 16 == to / 16 ? 1 : 3));
      // Nodes are at chips 0 to 3 of a leaf, cables up at 4 to 7: three chips each way, and one or three in the spine.
      if (boxes.size() == 3) depths.insert(chips);
      if (boxes.size() == 1) REQUIRE(chips == (from / 4 == to / 4 ? 1 : 3));
    }
  CHECK(depths == std::set<int>{7, 9});
  const topo::Loads loads(*n, [](int from, int to) { return from == to ? 0 : 1; });
  for (const Network::Cable& c : n->cables()) {
    if (c.a.router / 12 == c.b.router / 12) continue;
    REQUIRE(loads.of(c.a.router, c.a.port) == 240);
    REQUIRE(loads.of(c.b.router, c.b.port) == 240);
  }
  CHECK_FALSE(can_deadlock(n, 1));
}

TEST_CASE("a pair's packets go one way through boxes, by the destination alone if all routes do") {
  const SharedNetwork n =
      graph_of_text(machine("fat_tree", R"("radix": 8, "levels": 2)", box("fat_tree", R"("radix": 4, "levels": 2)")))
          .networks.front();
  CHECK(n->routes().by_destination());
  const auto random = graph_of_text(machine("fat_tree", R"("radix": 8, "levels": 2)",
                                            box("fat_tree", R"("radix": 4, "levels": 2, "routes": "random")")))
                          .networks.front();
  CHECK_FALSE(random->routes().by_destination());
}

TEST_CASE("a picture's places of chips in boxes do not cover each other") {
  const SharedNetwork n =
      graph_of_text(machine("fat_tree", R"("radix": 8, "levels": 2)", box("fat_tree", R"("radix": 4, "levels": 2)")))
          .networks.front();
  REQUIRE(n->spots().size() == static_cast<std::size_t>(n->routers()));
  CHECK(least_distance(n->spots()) > 0.999);
  const SharedNetwork one = graph_of_text(machine("crossbar", R"("terminals": 32)", box_32())).networks.front();
  REQUIRE(one->spots().size() == 12);  // those of the tree inside
  CHECK(one->spots()[0].y > one->spots()[8].y);
}

TEST_CASE("boxes that cannot be are refused with the reason") {
  const auto why = [](const std::string& router) {
    return graph_failure(machine("fat_tree", R"("radix": 8, "levels": 2)", router));
  };
  CHECK_THAT(why(box("crossbar", R"("terminals": 7)")),
             Contains("/machine/topology/router: router0 has 8 ports") && Contains("only 7 terminals"));
  CHECK_THAT(why(box("fat_tree", R"("radix": 4, "levels": 2, "routes": "adaptive")")),
             Contains("/router/network: routes in a box may not choose"));
  CHECK_THAT(why(box("ring", R"("nodes": 8)")), Contains("/router/network: ") && Contains("classes"));
  CHECK_THAT(why(box("crossbar", R"("terminals": 8)", R"(, "terminal": {"kind": "part"})")),
             Contains("no nodes in a box"));
  CHECK_THAT(why(R"({"kind": "box", "network": {"kind": "explicit", "devices": {}}})"), Contains("lists a machine"));
  CHECK_THAT(why(R"({"kind": "box", "network": {"kind": "tca", "nodes": 8, "cable": {"kind": "cable"}}})"),
             Contains("runs through nodes"));
  CHECK_THAT(graph_failure(machine("fat_tree", R"("radix": 8, "levels": 2, "routes": "adaptive")",
                                   box("crossbar", R"("terminals": 8)"))),
             Contains("routes through boxes may not choose"));
  CHECK_THAT(graph_failure(R"({"kind": "explicit", "devices": {"s": )" + box("crossbar", R"("terminals": 8)") + "}}"),
             Contains("/devices/s: a box stands as \"router\""));
}

TEST_CASE("boxes that close a circle are refused") {
  // Each chip of a ring of five goes two further on for some of the others.
  const std::string ring = box("edge_list", R"("edges": ["0 1", "1 2", "2 3", "3 4", "4 0"],
    "routes": {"kind": "shortest", "allow_deadlock": true})");
  const std::string text = machine("crossbar", R"("terminals": 5)", ring);
  CHECK_THAT(graph_failure(text),
             Contains("/machine/topology/router: through these boxes packets can wait for each other in a circle") &&
                 Contains("router0.router0.p"));
}

}  // namespace topo_box_test
