// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "stats/random.hpp"
#include "support/catch.hpp"
#include "support/topo/machine_text.hpp"
#include "support/topo/networks.hpp"
#include "topo/fat_tree.hpp"
#include "topo/routes/loads.hpp"

namespace topo_fat_tree_test {

using namespace tsunagi;
using namespace tsunagi::test;
using topo::Network;
using topo::UpRoutes;
using Taper = std::vector<std::int64_t>;

namespace {

topo::FatTreeConfig tree(int radix, int levels, int nodes = 0, Taper taper = {}, UpRoutes routes = UpRoutes::d_mod_k,
                         std::int64_t seed = 1, std::vector<std::int64_t> cables = {}) {
  return {radix, levels, nodes, std::move(taper), routes, seed, std::move(cables), {}};
}
topo::FatTreeConfig cabled(int radix, std::vector<std::int64_t> cables, int levels = 2, int nodes = 0) {
  return tree(radix, levels, nodes, {}, UpRoutes::d_mod_k, 1, std::move(cables));
}

SharedNetwork network(const topo::FatTreeConfig& c) { return share(topo::fat_tree_network(c)); }

std::int64_t power(std::int64_t base, int n) { return n == 0 ? 1 : base * power(base, n - 1); }

/// Full ones of up to 128 terminals, some with parallel cables.
std::vector<topo::FatTreeConfig> full_trees() {
  std::vector<topo::FatTreeConfig> out;
  for (const int radix : {2, 4, 6, 8})
    for (int levels = 1; levels <= 4; ++levels)
      if (2 * power(radix / 2, levels) <= 128) out.push_back(tree(radix, levels));
  for (const auto& c : {cabled(8, {2}), cabled(8, {4}), cabled(12, {3}), cabled(16, {4}), cabled(8, {2}, 3),
                        cabled(8, {1, 2}, 3), cabled(8, {2, 1}, 3), cabled(8, {4, 2}, 3), cabled(4, {2, 1, 2}, 4)})
    out.push_back(c);
  return out;
}

/// The most flows on any port when every terminal sends one to the `distance`th after it.
std::int64_t fullest(const Network& n, int distance) {
  const topo::Loads loads(n, [&](int from, int to) { return (from + distance) % n.terminals() == to ? 1 : 0; });
  std::int64_t most = 0;
  for (int r = 0; r < n.routers(); ++r)
    for (int p = 0; p < n.ports(r); ++p) most = std::max(most, loads.of(r, p));
  return most;
}

std::int64_t fullest_of_all_shifts(const Network& n) {
  std::int64_t most = 0;
  for (int distance = 1; distance < n.terminals(); ++distance) most = std::max(most, fullest(n, distance));
  return most;
}

/// Of any measures: as many nodes as places of a tree of up to 150, or fewer.
topo::FatTreeConfig random_tree(stats::RandomStream& random) {
  for (;;) {
    topo::FatTreeConfig c = tree(static_cast<int>(2 + 2 * random.below(4)), static_cast<int>(1 + random.below(4)));
    if (random.below(2) == 0)
      for (int i = 1; i < c.levels; ++i) c.taper.push_back(1 + random.below(c.radix - 1));
    if (random.below(2) == 0)
      for (int i = 1; i < c.levels; ++i) c.cables.push_back(1 + random.below(4));
    std::int64_t places = c.radix;
    bool fit = true;
    for (int i = 1; i < c.levels; ++i) {
      const auto at = [i](const std::vector<std::int64_t>& v) {
        return v.empty() ? 1 : v[static_cast<std::size_t>(i - 1)];
      };
      const std::int64_t up = c.radix / (1 + at(c.taper));
      const bool top = i + 1 == c.levels;
      const std::int64_t next = top ? 1 : c.taper.empty() ? 1 : c.taper[static_cast<std::size_t>(i)];
      const std::int64_t above = top ? c.radix : c.radix / (1 + next) * next;
      fit = fit && up % at(c.cables) == 0 && above % at(c.cables) == 0;
      places = places / at(c.cables) * up * at(c.taper);
    }
    if (!fit) continue;
    if (places > 150) continue;
    c.nodes = static_cast<int>(random.below(places + 1));
    c.routes = random.below(2) == 0 ? UpRoutes::d_mod_k : UpRoutes::random;
    c.seed = random.below(1000);
    return c;
  }
}

/// Whether a shortest path of two terminals passes each router.
bool all_needed(const Network& n) {
  std::vector<std::vector<int>> from_leaf(static_cast<std::size_t>(n.routers()));
  for (int t = 0; t < n.terminals(); ++t)
    if (auto& d = from_leaf[static_cast<std::size_t>(n.router_of(t))]; d.empty()) d = distances(n, n.router_of(t));
  const auto needed = [&](std::size_t r) {
    for (int a = 0; a < n.terminals(); ++a)
      for (int b = 0; b < n.terminals(); ++b) {
        const std::vector<int>& da = from_leaf[static_cast<std::size_t>(n.router_of(a))];
        const std::vector<int>& db = from_leaf[static_cast<std::size_t>(n.router_of(b))];
        if (da[r] + db[r] == da[static_cast<std::size_t>(n.router_of(b))]) return true;
      }
    return false;
  };
  for (int r = 0; r < n.routers(); ++r)
    if (!needed(static_cast<std::size_t>(r))) return false;
  return true;
}

}  // namespace

TEST_CASE("a full fat-tree has the terminals, switches and wires of the closed forms") {
  for (const int radix : {2, 4, 6, 8})
    for (int levels = 1; levels <= 4; ++levels) {
      const Network n = topo::fat_tree_network(tree(radix, levels));
      const std::int64_t half = radix / 2;
      CHECK(n.terminals() == 2 * power(half, levels));
      CHECK(n.routers() == (2 * levels - 1) * power(half, levels - 1));
      CHECK(static_cast<std::int64_t>(n.cables().size()) == (levels - 1) * 2 * power(half, levels));
      for (int r = 0; r < n.routers(); ++r)  // none is left over
        for (int p = 0; p < n.ports(r); ++p) REQUIRE(n.peer(r, p).kind != Network::Peer::Kind::nothing);
    }
  const Network two = topo::fat_tree_network(tree(36, 2));
  CHECK(two.terminals() == 648);
  CHECK(two.routers() == 54);
  CHECK(topo::fat_tree_network(tree(16, 3)).terminals() == 1024);
}

TEST_CASE("switches of a fat-tree have ports down and up, those of the highest level only down") {
  const topo::Graph g = built("fat_tree", R"("radix": 4, "levels": 2)");
  REQUIRE(g.nodes.size() == 6 + 8);
  REQUIRE(g.links.size() == 16);
  const Network& n = *g.networks.front();
  CHECK(n.port_name(0, 0) == "d0");
  CHECK(n.port_name(0, 1) == "d1");
  CHECK(n.port_name(0, 2) == "u0");
  CHECK(n.port_name(0, 3) == "u1");
  CHECK(n.port_name(4, 3) == "d3");
  CHECK(n.peer(3, 2).number == 4);  // leaf 3, first port up: top switch 0, where it is the fourth
  CHECK(n.port_name(4, n.peer(3, 2).port) == "d3");
  CHECK(n.router_of(5) == 2);
  CHECK(n.port_name(2, n.attachment(5).port) == "d1");
  REQUIRE(n.spots().size() == 6);
  CHECK(n.spots()[0].y > n.spots()[4].y);  // the top is above
}

TEST_CASE("a tapered level has so many ports down for each port up") {
  const Network n = topo::fat_tree_network(tree(12, 3, 0, {2, 3}));
  CHECK(n.terminals() == 8 * 9 * 12);
  CHECK(n.port_name(0, 7) == "d7");
  CHECK(n.port_name(0, 8) == "u0");
  CHECK(n.ports(0) == 12);  // 8 down, 4 up
  const int second = 9 * 12;
  CHECK(n.port_name(second, 9) == "u0");
  CHECK(n.ports(second) == 12);  // 9 down, 3 up
  CHECK(n.routers() == 9 * 12 + 12 * 4 + 4 * 3);
  CHECK(n.cables().size() == 9 * 12 * 4 + 12 * 4 * 3);
  CHECK(topo::fat_tree_network(tree(8, 2, 0, {2})).ports(0) == 6);  // 4 down, 2 up; two fit neither
  CHECK(topo::fat_tree_network(tree(8, 3, 0, {3})).terminals() ==
        topo::fat_tree_network(tree(8, 3, 0, {3, 3})).terminals());
}

TEST_CASE("of a fat-tree that is not full only what some shortest path passes is there") {
  const Network n = topo::fat_tree_network(tree(8, 3, 17));
  CHECK(n.terminals() == 17);
  CHECK(n.routers() == 5 + 2 * 4 + 16);  // leaves of 4, over 2 groups of 16 places 4 each, and all of the highest
  const Network one_leaf = topo::fat_tree_network(tree(8, 3, 4));
  CHECK(one_leaf.routers() == 1);
  CHECK(one_leaf.cables().empty());
  CHECK(topo::fat_tree_network(tree(8, 3, 16)).routers() == 4 + 4);
  CHECK(topo::fat_tree_network(tree(2, 4, 1)).routers() == 1);
}

TEST_CASE("no wire of a full fat-tree carries two flows of a shift on D-mod-k routes") {
  for (const topo::FatTreeConfig& c : full_trees()) {
    const Network n = topo::fat_tree_network(c);
    CHECK(fullest_of_all_shifts(n) == 1);
  }
}

TEST_CASE("D-mod-k routes leave a tapered level by the destination over the ports up below it") {
  const Network n = topo::fat_tree_network(tree(12, 3, 0, {2, 3}));  // w1, w2, w3: 1, 4, 3
  for (int d = 8 * 9; d < n.terminals(); ++d) {
    std::string up;
    n.walk(0, d, [&](int at, topo::Hop hop) {
      if (const std::string& port = n.port_name(at, hop.port); port[0] == 'u') up += port;
    });
    CHECK(up == "u" + std::to_string(d % 4) + "u" + std::to_string(d / 4 % 3));
  }
}

TEST_CASE("random routes and tapers make flows of some shift share wires") {
  CHECK(fullest_of_all_shifts(topo::fat_tree_network(tree(8, 2, 0, {}, UpRoutes::random))) > 1);
  CHECK(fullest_of_all_shifts(topo::fat_tree_network(tree(6, 2, 0, {2}))) == 2);
  CHECK(fullest_of_all_shifts(topo::fat_tree_network(tree(8, 3, 0, {3, 1}))) == 3);
}

TEST_CASE("a wire down of a full fat-tree serves one destination on D-mod-k routes") {
  for (const topo::FatTreeConfig& c : full_trees()) {
    const Network n = topo::fat_tree_network(c);
    std::map<std::size_t, std::set<int>> served;
    for (int from = 0; from < n.terminals(); ++from)
      for (int to = 0; to < n.terminals(); ++to)
        n.walk(from, to, [&](int at, topo::Hop hop) {
          if (n.port_name(at, hop.port).front() == 'd') served[n.port_index(at, hop.port)].insert(to);
        });
    for (const auto& [port, destinations] : served) REQUIRE(destinations.size() == 1);
  }
}

TEST_CASE("random routes use all ports up alike and the seed draws others") {
  const auto loads = [](std::int64_t seed) {
    const Network n = topo::fat_tree_network(tree(8, 3, 0, {}, UpRoutes::random, seed));
    const topo::Loads all(n, [](int from, int to) { return from == to ? 0 : 1; });
    std::vector<std::int64_t> out;
    for (int r = 0; r < 64; ++r)  // of the lower two levels: ports up
      for (int p = 4; p < 8; ++p) out.push_back(all.of(r, p));
    return out;
  };
  const std::vector<std::int64_t> one = loads(1);
  // Leaves send 4 x 124 flows by 4 ports; level 2 sends 16 x 112 by 16: 124 and 112 each, within five deviations.
  for (std::size_t i = 0; i < one.size(); ++i) {
    const double mean = i < 128 ? 124 : 112;
    CHECK(std::abs(static_cast<double>(one[i]) - mean) < 5 * std::sqrt(mean));
  }
  CHECK(one == loads(1));
  CHECK(one != loads(2));
}

TEST_CASE("any fat-tree has minimal routes that cannot deadlock and no switch in vain") {
  stats::RandomStream random(1, "fat trees");
  for (int i = 0; i < 120; ++i) {
    const topo::FatTreeConfig c = random_tree(random);
    CAPTURE(c.radix, c.levels, c.nodes, c.taper, c.cables, static_cast<int>(c.routes));
    const SharedNetwork n = network(c);
    REQUIRE(n->spots().size() == static_cast<std::size_t>(n->routers()));
    REQUIRE(least_distance(n->spots()) > 0.999);
    REQUIRE(all_minimal(*n));
    REQUIRE(!can_deadlock(n, 1));
    if (n->terminals() > 1) REQUIRE(all_needed(*n));
  }
}

TEST_CASE("fat-trees that cannot be are refused with the reason") {
  const auto why = [](const std::string& fields) { return refusal("fat_tree", fields); };
  using Catch::Matchers::Contains;
  CHECK_THAT(why(R"("radix": 7)"), Contains("\"radix\" must be even") && Contains("not 7"));
  CHECK_THAT(why(R"("radix": 0)"), Contains("/topology/radix"));
  CHECK_THAT(why(R"("radix": 8, "levels": 2, "nodes": 33)"), Contains("33 nodes") && Contains("ports for 32"));
  CHECK_THAT(why(R"("radix": 8, "levels": 3, "taper": [1, 8])"),
             Contains("a taper of 8 leaves level 2 without wires up") && Contains("radix 8"));
  CHECK(why(R"("radix": 8, "levels": 3, "taper": [1, 7])") == "no error");
  CHECK_THAT(why(R"("radix": 8, "levels": 4, "taper": [1, 2])"),
             Contains("\"taper\" has 2 numbers") && Contains("3 levels"));
  CHECK_THAT(why(R"("radix": 8, "levels": 4, "taper": [0])"), Contains("/topology/taper/0"));
  CHECK_THAT(why(R"("radix": 64, "levels": 4)"), Contains("at most 30000 terminals"));
  CHECK_THAT(why(R"("radix": 1024, "levels": 16)"), Contains("at most 30000 terminals"));
  CHECK(why(R"("radix": 1024, "levels": 16, "nodes": 600)") == "no error");
  CHECK_THAT(why(R"("radix": 256, "levels": 3, "nodes": 16385)"), Contains("at most 1000000 ports"));
  CHECK_THAT(why(R"("nodes": 30001)"), Contains("/topology/nodes"));
}

}  // namespace topo_fat_tree_test
