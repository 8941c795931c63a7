// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "stats/random.hpp"
#include "support/catch.hpp"
#include "support/topo/machine_text.hpp"
#include "support/topo/networks.hpp"
#include "topo/dragonfly.hpp"
#include "topo/routes/loads.hpp"

namespace topo_dragonfly_test {

using namespace tsunagi;
using namespace tsunagi::test;
using topo::DragonflyRouting;
using topo::Network;

namespace {

topo::DragonflyConfig dragonfly(int terminals, int routers, int global_links, int groups = 0,
                                DragonflyRouting routes = DragonflyRouting::minimal, std::int64_t seed = 1) {
  return {terminals, routers, global_links, groups, routes, {seed, 0}, {}, {}};
}

Network network(const topo::DragonflyConfig& c) { return topo::dragonfly_network(c); }

/// Links between each two groups, lower one first.
std::map<std::pair<int, int>, int> global_links(const Network& n, int routers_a_group) {
  std::map<std::pair<int, int>, int> out;
  for (const Network::Cable& c : n.cables()) {
    const int a = c.a.router / routers_a_group;
    const int b = c.b.router / routers_a_group;
    if (a != b) ++out[{std::min(a, b), std::max(a, b)}];
  }
  return out;
}

/// What kinds of ports a way leaves by: "lgt" is local, global, terminal.
std::string kinds(const Network& n, int from, int to) {
  std::string out;
  n.walk(from, to, [&](int at, topo::Hop hop) { out += n.port_name(at, hop.port).front(); });
  return out;
}

/// The groups on a way, each once.
std::vector<int> groups_on(const Network& n, int routers_a_group, int from, int to) {
  std::vector<int> out;
  n.walk(from, to, [&](int at, topo::Hop) {
    if (out.empty() || out.back() != at / routers_a_group) out.push_back(at / routers_a_group);
  });
  return out;
}

topo::DragonflyConfig random_dragonfly(stats::RandomStream& random) {
  for (;;) {
    topo::DragonflyConfig c = dragonfly(static_cast<int>(1 + random.below(3)), static_cast<int>(1 + random.below(5)),
                                        static_cast<int>(random.below(4)));
    c.groups = static_cast<int>(random.below(c.routers * c.global_links + 2));
    c.choice.seed = random.below(1000);
    if (random.below(2) == 0) c.routes = DragonflyRouting::valiant;
    const int groups = c.groups > 0 ? c.groups : c.routers * c.global_links + 1;
    if (groups * c.routers * c.terminals <= 80) return c;
  }
}

}  // namespace

TEST_CASE("a dragonfly has the terminals and wires of the paper") {
  const Network n = network(dragonfly(2, 4, 2));  // its figure 5
  CHECK(n.terminals() == 72);
  CHECK(n.routers() == 36);
  CHECK(n.ports(0) == 3 + 2 + 2);
  CHECK(n.cables().size() == 9 * 6 + 36);
  CHECK(n.port_name(0, 2) == "l2");
  CHECK(n.port_name(0, 3) == "g0");
  CHECK(n.port_name(0, 5) == "t0");
  const auto between = global_links(n, 4);
  CHECK(between.size() == 36);  // every two of nine groups
  for (const auto& [pair, links] : between) CHECK(links == 1);
  for (int r = 0; r < n.routers(); ++r)
    for (int p = 0; p < n.ports(r); ++p) REQUIRE(n.peer(r, p).kind != Network::Peer::Kind::nothing);
  // N = a p (a h + 1), here of a balanced one, a = 2p = 2h.
  CHECK(network(dragonfly(3, 6, 3)).terminals() == 6 * 3 * 19);
}

TEST_CASE("a dragonfly of fewer groups has the same number of links between every two") {
  for (int groups = 2; groups <= 9; ++groups) {
    const Network n = network(dragonfly(1, 4, 2, groups));
    const auto between = global_links(n, 4);
    CHECK(between.size() == static_cast<std::size_t>(groups * (groups - 1) / 2));
    for (const auto& [pair, links] : between) CHECK(links == 8 / (groups - 1));
  }
  CHECK(network(dragonfly(2, 4, 2, 1)).cables().size() == 6);
}

TEST_CASE("global link j of a group leads to the group that is j + 1 further on") {
  const Network n = network(dragonfly(2, 4, 2));
  for (int group = 0; group < 9; ++group)
    for (int j = 0; j < 8; ++j) CHECK(n.peer(4 * group + j / 2, 3 + j % 2).number / 4 == (group + j + 1) % 9);
}

TEST_CASE("minimal routes of a dragonfly go over the link between two groups and nothing that is not needed") {
  const Network n = network(dragonfly(2, 4, 2));
  std::map<std::pair<int, int>, int> ends;  // of the link from group to group: the router in the first
  for (int r = 0; r < 36; ++r)
    for (int p = 3; p < 5; ++p) ends[{r / 4, n.peer(r, p).number / 4}] = r;
  for (int from = 0; from < 72; ++from)
    for (int to = 0; to < 72; ++to) {
      const int a = n.router_of(from), b = n.router_of(to);
      std::string expected = a == b ? "t" : "lt";
      if (a / 4 != b / 4)
        expected =
            std::string(ends[{a / 4, b / 4}] != a ? "l" : "") + "g" + (ends[{b / 4, a / 4}] != b ? "l" : "") + "t";
      REQUIRE(kinds(n, from, to) == expected);
    }
}

TEST_CASE("several links between two groups share their pairs") {
  const Network n = network(dragonfly(4, 4, 2, 3));  // four links between every two
  const topo::Loads loads(n, [](int from, int to) { return from / 16 == 0 && to / 16 == 1 ? 1 : 0; });
  std::int64_t sum = 0;
  for (int r = 0; r < 4; ++r)
    for (int p = 3; p < 5; ++p)
      if (n.peer(r, p).number / 4 == 1) {
        CHECK(std::abs(static_cast<double>(loads.of(r, p)) - 64) < 5 * 8);  // 256 pairs by four
        sum += loads.of(r, p);
      }
  CHECK(sum == 256);
}

TEST_CASE("the seed draws which of several links between two groups a pair takes") {
  const auto ways = [](std::int64_t seed) {
    const Network n = network(dragonfly(1, 2, 2, 2, DragonflyRouting::minimal, seed));  // four links
    std::vector<int> out;
    for (int from = 0; from < 2; ++from)
      for (int to = 2; to < 4; ++to)
        n.walk(from, to, [&](int at, topo::Hop hop) { out.push_back(10 * at + hop.port); });
    return out;
  };
  CHECK(ways(1) == ways(1));
  std::set<std::vector<int>> different;
  for (std::int64_t seed = 0; seed < 8; ++seed) different.insert(ways(seed));
  CHECK(different.size() > 4);
}

TEST_CASE("Valiant routes of a dragonfly pass one third group and draw all alike") {
  const auto thirds = [](std::int64_t seed) {
    const Network n = network(dragonfly(4, 4, 2, 0, DragonflyRouting::valiant, seed));
    std::vector<int> out;
    for (int from = 0; from < n.terminals(); ++from)
      for (int to = 0; to < n.terminals(); ++to) {
        const std::vector<int> on = groups_on(n, 4, from, to);
        const std::string way = kinds(n, from, to);
        if (from / 16 == to / 16) {
          REQUIRE(on.size() == 1);
          REQUIRE(way.size() <= 2);
          continue;
        }
        REQUIRE(on.size() == 3);
        REQUIRE((on[1] != on[0] && on[1] != on[2]));
        REQUIRE(std::count(way.begin(), way.end(), 'g') == 2);
        REQUIRE(way.find("ll") == std::string::npos);
        out.push_back(on[1]);
      }
    return out;
  };
  const std::vector<int> drawn = thirds(1);
  for (int group = 0; group < 9; ++group) {  // of 9 x 8 x 256 pairs a ninth, within five deviations
    const double expected = 8 * 256;
    CHECK(std::abs(static_cast<double>(std::count(drawn.begin(), drawn.end(), group)) - expected) <
          5 * std::sqrt(expected));
  }
  CHECK(drawn == thirds(1));
  CHECK(drawn != thirds(2));
}

TEST_CASE("between two groups Valiant routes are minimal ones") {
  const Network minimal = network(dragonfly(2, 3, 1, 2));
  const Network valiant = network(dragonfly(2, 3, 1, 2, DragonflyRouting::valiant));
  for (int from = 0; from < 12; ++from)
    for (int to = 0; to < 12; ++to) CHECK(kinds(minimal, from, to) == kinds(valiant, from, to));
  CHECK(valiant.routes().classes() == 2);
}

TEST_CASE("a class for each stage keeps dragonflies free of deadlock and without they can deadlock") {
  const SharedNetwork minimal = share(network(dragonfly(2, 4, 2)));
  const SharedNetwork valiant = share(network(dragonfly(1, 4, 2, 0, DragonflyRouting::valiant)));
  CHECK(minimal->routes().classes() == 2);
  CHECK(valiant->routes().classes() == 3);
  CHECK(!can_deadlock(minimal, 2));
  CHECK(!can_deadlock(minimal, 4));
  CHECK(!can_deadlock(valiant, 3));
  CHECK(!can_deadlock(valiant, 6));
  for (const int virtual_channels : {1, 2, 3}) {
    CHECK(can_deadlock(minimal, virtual_channels, false));
    CHECK(can_deadlock(valiant, virtual_channels, false));
  }
}

TEST_CASE("any dragonfly reaches every terminal and cannot deadlock") {
  stats::RandomStream random(1, "dragonflies");
  for (int i = 0; i < 150; ++i) {
    const topo::DragonflyConfig c = random_dragonfly(random);
    CAPTURE(c.terminals, c.routers, c.global_links, c.groups, static_cast<int>(c.routes), c.choice.seed);
    const SharedNetwork n = share(network(c));
    REQUIRE(n->spots().size() == static_cast<std::size_t>(n->routers()));
    REQUIRE(least_distance(n->spots()) > 0.999);
    const int most = c.routes == DragonflyRouting::minimal ? 5 : 7;
    for (int from = 0; from < n->terminals(); ++from)
      for (int to = 0; to < n->terminals(); ++to) REQUIRE(wires_between(*n, from, to) <= most);
    REQUIRE(!can_deadlock(n, n->routes().classes()));
    REQUIRE(!can_deadlock(n, 2 * n->routes().classes()));
  }
}

TEST_CASE("groups of a dragonfly may be joined by wires of their own") {
  const std::string fields = R"("terminals": 1, "routers": 2, "global_links": 1)";
  const topo::Graph g = built("dragonfly", fields, R"(, "global_wire": {"kind": "cable", "number": 9})");
  REQUIRE(g.links.size() == 3 + 3 + 6);
  for (std::size_t i = 0; i < g.links.size(); ++i) {
    const bool global = i >= 3 && i < 6;
    CHECK(g.links[i].wire.as<PartConfig>().number == (global ? 9 : 3));
    CHECK(g.links[i].pointer == (global ? "/machine/topology/global_wire" : "/machine/topology/wire"));
  }
}

TEST_CASE("dragonflies that cannot be are refused with the reason") {
  const auto why = [](const std::string& fields) { return refusal("dragonfly", fields); };
  using Catch::Matchers::Contains;
  CHECK_THAT(why(R"("routers": 4, "global_links": 2, "groups": 10)"),
             Contains("10 groups") && Contains("need 9 global links a group") && Contains("have 8"));
  CHECK_THAT(why(R"("global_links": 0, "groups": 2)"), Contains("have 0"));
  CHECK(why(R"("global_links": 0)") == "no error");
  CHECK_THAT(why(R"("terminals": 0)"), Contains("/topology/terminals"));
  CHECK_THAT(why(R"("terminals": 16, "routers": 32, "global_links": 16)"), Contains("at most 30000 terminals"));
  CHECK_THAT(why(R"("terminals": 1, "routers": 4096, "global_links": 4096)"), Contains("at most 30000 terminals"));
  CHECK_THAT(why(R"("terminals": 1, "routers": 4096, "global_links": 0)"), Contains("at most 1000000 ports"));
}

}  // namespace topo_dragonfly_test
