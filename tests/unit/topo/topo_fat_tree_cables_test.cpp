// SPDX-License-Identifier: Apache-2.0
// Fat-trees with parallel cables between two switches; what holds for all of them, topo_fat_tree_test.cpp asks of these
// too.
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/topo/machine_text.hpp"
#include "support/topo/networks.hpp"
#include "topo/fat_tree.hpp"
#include "topo/routes/adaptive.hpp"
#include "topo/routes/loads.hpp"

namespace topo_fat_tree_cables_test {

using namespace tsunagi;
using namespace tsunagi::test;
using topo::Network;
using topo::UpRoutes;

namespace {

topo::FatTreeConfig cabled(int radix, std::vector<std::int64_t> cables, int levels = 2, int nodes = 0) {
  return {radix, levels, nodes, {}, UpRoutes::d_mod_k, 1, std::move(cables), {}};
}

SharedNetwork network(const topo::FatTreeConfig& c) { return share(topo::fat_tree_network(c)); }

}  // namespace

TEST_CASE("parallel cables join a leaf to each spine so often, and make do with fewer spines") {
  const Network n = topo::fat_tree_network(cabled(32, {2}));  // 256 nodes: 16 leaves, 8 spines
  CHECK(n.terminals() == 256);
  REQUIRE(n.routers() == 24);
  CHECK(n.cables().size() == 256);
  std::map<std::pair<int, int>, int> between;
  for (const Network::Cable& c : n.cables()) ++between[{c.a.router, c.b.router}];
  CHECK(between.size() == 16 * 8);
  for (const auto& [pair, cables] : between) {
    REQUIRE(cables == 2);
    REQUIRE((pair.first < 16 && pair.second >= 16));
  }
  // Of leaf 3, ports up 5 and 13 lead to spine 5, there to ports down 3 and 19.
  for (const int cable : {0, 1}) {
    const Network::Peer& spine = n.peer(3, 16 + 5 + 8 * cable);
    CHECK(n.port_name(3, 16 + 5 + 8 * cable) == "u" + std::to_string(5 + 8 * cable));
    CHECK(spine.number == 16 + 5);
    CHECK(n.port_name(spine.number, spine.port) == "d" + std::to_string(3 + 16 * cable));
  }
  for (int r = 0; r < n.routers(); ++r)
    for (int p = 0; p < n.ports(r); ++p) REQUIRE(n.peer(r, p).kind != Network::Peer::Kind::nothing);
}

TEST_CASE("one cable is what a fat-tree without the field has") {
  for (const int levels : {1, 2, 3}) {
    const Network one = topo::fat_tree_network(cabled(8, {1}, levels, 21 % (levels * levels * 8)));
    const Network none = topo::fat_tree_network(cabled(8, {}, levels, 21 % (levels * levels * 8)));
    REQUIRE(one.cables().size() == none.cables().size());
    for (std::size_t i = 0; i < one.cables().size(); ++i) {
      const Network::Cable& a = one.cables()[i];
      const Network::Cable& b = none.cables()[i];
      REQUIRE(std::tie(a.a.router, a.a.port, a.b.router, a.b.port) ==
              std::tie(b.a.router, b.a.port, b.b.router, b.b.port));
    }
    for (int from = 0; from < one.terminals(); ++from)
      for (int to = 0; to < one.terminals(); ++to) {
        std::vector<std::pair<int, int>> a, b;
        one.walk(from, to, [&a](int at, topo::Hop hop) { a.emplace_back(at, hop.port); });
        none.walk(from, to, [&b](int at, topo::Hop hop) { b.emplace_back(at, hop.port); });
        REQUIRE(a == b);
      }
  }
}

TEST_CASE("256 nodes of 32-port switches and two cables: every pair by one or three, every cable alike") {
  const SharedNetwork n = network(cabled(32, {2}));
  std::map<std::size_t, std::set<int>> served;
  for (int from = 0; from < 256; ++from)
    for (int to = 0; to < 256; ++to) {
      int passed = 0;
      n->walk(from, to, [&](int at, topo::Hop hop) {
        ++passed;
        served[n->port_index(at, hop.port)].insert(to);
      });
      REQUIRE(passed == (from / 16 == to / 16 ? 1 : 3));
    }
  const topo::Loads loads(*n, [](int from, int to) { return from == to ? 0 : 1; });
  for (int leaf = 0; leaf < 16; ++leaf)
    for (int p = 16; p < 32; ++p) {  // 240 destinations elsewhere over 16 cables, each from 16 nodes
      REQUIRE(served[n->port_index(leaf, p)].size() == 15);
      REQUIRE(loads.of(leaf, p) == 15 * 16);
    }
  for (int spine = 16; spine < 24; ++spine)
    for (int p = 0; p < 32; ++p) {  // one destination, from all nodes elsewhere
      REQUIRE(served[n->port_index(spine, p)].size() == 1);
      REQUIRE(loads.of(spine, p) == 240);
    }
  CHECK_FALSE(can_deadlock(n, 1));
}

TEST_CASE("adaptive routes choose among parallel cables both ways, first that of D-mod-k") {
  topo::FatTreeConfig c = cabled(8, {2});
  c.routes = UpRoutes::adaptive;
  const Network n = topo::fat_tree_network(c);  // 16 nodes, leaves 0 to 3, spines 4 and 5
  const auto ports = [&](int router, int to) {
    topo::Ways ways;
    n.routes().adaptive()->ways(router, topo::trip_of(0, to), topo::AdaptiveRoutes::Draws::own, ways);
    std::string out;
    for (const topo::Way& w : ways) out += n.port_name(router, w.hop.port) + " ";
    return out;
  };
  CHECK(ports(0, 14) == "u2 u3 u0 u1 ");
  CHECK(ports(4, 14) == "d7 d3 ");  // node 14 is at leaf 3, and 14 / 2 odd
  CHECK(ports(4, 12) == "d3 d7 ");
  CHECK(ports(3, 14) == "d2 ");
}

TEST_CASE("cables that do not fit the ports of a fat-tree are refused with the reason") {
  const auto why = [](const std::string& fields) { return refusal("fat_tree", fields); };
  using Catch::Matchers::Contains;
  CHECK_THAT(why(R"("radix": 32, "levels": 2, "cables": [2], "nodes": 257)"),
             Contains("257 nodes") && Contains("ports for 256"));
  CHECK_THAT(why(R"("radix": 32, "levels": 2, "cables": [3])"),
             Contains("3 parallel cables do not fit the 16 ports up of a switch of level 1"));
  CHECK_THAT(why(R"("radix": 12, "levels": 3, "cables": [4, 1], "taper": [2, 1])"),
             Contains("4 parallel cables do not fit the 6 ports down of a switch of level 2"));
  CHECK_THAT(why(R"("radix": 8, "levels": 2, "cables": [3], "taper": [1])"), Contains("4 ports up"));
  CHECK_THAT(why(R"("radix": 10, "levels": 2, "cables": [4], "taper": [1])"), Contains("5 ports up"));
  CHECK_THAT(why(R"("radix": 14, "levels": 2, "cables": [4], "taper": [2])"), Contains("14 ports down"));
  CHECK_THAT(why(R"("radix": 8, "levels": 2, "cables": [16])"), Contains("16 parallel cables do not fit"));
  CHECK_THAT(why(R"("radix": 8, "levels": 4, "cables": [1, 2])"),
             Contains("\"cables\" has 2 numbers") && Contains("3 levels"));
  CHECK_THAT(why(R"("radix": 8, "levels": 2, "cables": [0])"), Contains("/topology/cables/0"));
}

}  // namespace topo_fat_tree_cables_test
