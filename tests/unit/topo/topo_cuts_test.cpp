// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "stats/random.hpp"
#include "support/catch.hpp"
#include "support/topo/adaptive_networks.hpp"
#include "topo/routes/cuts.hpp"

namespace topo_cuts_test {

using namespace tsunagi;
using namespace tsunagi::test;
using topo::Cut;

namespace {

/// The least capacity a passing weight, in thousandths.
std::int64_t narrowest(const topo::Network& n, const topo::Weight& weight) {
  std::int64_t least = std::int64_t{1} << 60;
  topo::for_cuts(
      n, weight, [](int, int) { return 1; },
      [&](const Cut& c) { least = std::min(least, 1000 * c.capacity / c.passing); });
  return least;
}

std::int64_t uniform(int a, int b) { return a == b ? 0 : 1; }

using Capacity = std::function<std::int64_t(int, int)>;

/// Less capacity for what has to pass.
bool narrower(const Cut& a, const Cut& b) { return a.capacity * b.passing < b.capacity * a.passing; }

/// The narrowest of those that `for_cuts` visits.
Cut narrowest_run(const topo::Network& n, const topo::Weight& weight, const Capacity& capacity) {
  std::optional<Cut> out;
  topo::for_cuts(n, weight, capacity, [&](const Cut& c) {
    if (!out || narrower(c, *out)) out = c;
  });
  REQUIRE(out);
  return *out;
}

/// The narrowest of those round all sets of routers.
Cut narrowest_set(const topo::Network& n, const topo::Weight& weight, const Capacity& capacity) {
  std::optional<Cut> out;
  for (unsigned set = 1; set + 1 < 1u << n.routers(); ++set) {
    const auto leaves = [set](int from, int to) { return (set >> from & 1) != 0 && (set >> to & 1) == 0; };
    Cut c;
    for (int from = 0; from < n.terminals(); ++from)
      for (int to = 0; to < n.terminals(); ++to)
        if (leaves(n.router_of(from), n.router_of(to))) c.passing += weight(from, to);
    for (int r = 0; r < n.routers(); ++r)
      for (int p = 0; p < n.ports(r); ++p)
        if (const topo::Network::Peer& peer = n.peer(r, p);
            peer.kind == topo::Network::Peer::Kind::router && leaves(r, peer.number))
          c.capacity += capacity(r, p);
    if (c.passing > 0 && (!out || narrower(c, *out))) out = c;
  }
  REQUIRE(out);
  return *out;
}

/// A network's numbers at random: weights of all pairs, capacities of all ports.
struct Drawn {
  std::map<std::pair<int, int>, std::int64_t> weights;
  std::map<std::pair<int, int>, std::int64_t> capacities;

  Drawn(const topo::Network& n, stats::RandomStream& random) {
    const auto most = 2 + random.below(20);  // some draw many zeros
    for (int a = 0; a < n.terminals(); ++a)
      for (int b = 0; b < n.terminals(); ++b)
        weights[{a, b}] = a == b ? 0 : std::max<std::int64_t>(0, static_cast<std::int64_t>(random.below(most)) - 1);
    weights[{0, n.terminals() - 1}] = 1;  // so that something passes
    for (int r = 0; r < n.routers(); ++r)
      for (int p = 0; p < n.ports(r); ++p) capacities[{r, p}] = 1 + static_cast<std::int64_t>(random.below(9));
  }
  topo::Weight weight() const {
    return [this](int a, int b) { return weights.at({a, b}); };
  }
  Capacity capacity() const {
    return [this](int r, int p) { return capacities.at({r, p}); };
  }
};

}  // namespace

TEST_CASE("cuts are those of all runs of routers along each dimension, in both directions") {
  stats::RandomStream random(1, "cuts");
  const SharedNetwork n = grid_network({3, 2}, true, 2);
  std::map<std::pair<int, int>, std::int64_t> weights;
  for (int a = 0; a < 12; ++a)
    for (int b = 0; b < 12; ++b) weights[{a, b}] = a == b ? 0 : random.below(5);
  const auto capacity = [](int r, int p) { return std::int64_t{100} * r + p + 1; };
  std::vector<std::pair<std::int64_t, std::int64_t>> expected;
  // As routers are numbered, then as if the first dimension ran slowest.
  for (const std::vector<int>& order : {std::vector<int>{0, 1, 2, 3, 4, 5}, std::vector<int>{0, 3, 1, 4, 2, 5}})
    for (int first = 0; first < 6; ++first)
      for (int end = first + 1; end <= 6; ++end) {
        const auto inside = [&](int r) {
          return std::find(order.begin() + first, order.begin() + end, r) != order.begin() + end;
        };
        for (const bool out : {true, false}) {
          std::int64_t passing = 0, room = 0;
          for (const auto& [pair, w] : weights)
            if (inside(pair.first / 2) == out && inside(pair.second / 2) != out) passing += w;
          for (int r = 0; r < 6; ++r)
            for (int p = 0; p < 4; ++p)
              if (const int to = n->peer(r, p).number;
                  n->peer(r, p).kind == topo::Network::Peer::Kind::router && inside(r) == out && inside(to) != out)
                room += capacity(r, p);
          if (passing > 0) expected.emplace_back(passing, room);
        }
      }
  std::vector<std::pair<std::int64_t, std::int64_t>> got;
  topo::for_cuts(
      *n,
      [&](int a, int b) {
        return weights[{a, b}];
      },
      capacity, [&](const Cut& c) { got.emplace_back(c.passing, c.capacity); });
  CHECK(got == expected);
}

TEST_CASE("half of a ring of 16 passes uniform traffic by two cables a direction") {
  // 8 x 8 pairs out of a half over two cables.
  CHECK(narrowest(*grid_network({16}, true), uniform) == 1000 * 2 / 64);
  CHECK(narrowest(*grid_network({4, 4}, true), uniform) == 1000 * 8 / 64);
  CHECK(narrowest(*grid_network({4, 4}, false), uniform) == 1000 * 4 / 64);
}

TEST_CASE("the least that passes between two routers of a line passes the cuts between them, in its direction") {
  std::vector<std::int64_t> passing;
  topo::for_cuts(
      *grid_network({4}, false), [](int a, int b) { return a == 1 && b == 2 ? 1 : 0; }, [](int, int) { return 1; },
      [&](const Cut& c) { passing.push_back(c.passing); });
  // Out of 0-1 and 1, into 2 and 2-3: of ten runs.
  CHECK(passing == std::vector<std::int64_t>(4, 1));
}

TEST_CASE("no run of routers is narrower than the narrowest cut of all sets of routers") {
  stats::RandomStream random(1, "sets of routers");
  for (const SharedNetwork& n : {grid_network({3, 3}, false), grid_network({3, 3}, true), grid_network({2, 4}, true, 2),
                                 grid_network({4, 2}, false),
                                 adaptive_dragonfly(1, 2, 1, 3, topo::DragonflyRouting::ugal), adaptive_fat_tree(4, 2)})
    for (int i = 0; i < 8; ++i) {
      const Drawn drawn(*n, random);
      CHECK(!narrower(narrowest_run(*n, drawn.weight(), drawn.capacity()),
                      narrowest_set(*n, drawn.weight(), drawn.capacity())));
    }
}

TEST_CASE("the narrowest cut of a ring or a line is round a run of routers, whatever passes it") {
  // Of several runs apart from each other as much can leave as of each, and no more has to: one of them is as narrow.
  stats::RandomStream random(1, "rings");
  for (const int routers : {2, 4, 5, 6})
    for (const bool wrap : {false, true})
      for (int i = 0; i < 20; ++i) {
        const SharedNetwork n = grid_network({routers}, wrap, 1 + i % 2);
        const Drawn drawn(*n, random);
        const Cut run = narrowest_run(*n, drawn.weight(), drawn.capacity());
        const Cut set = narrowest_set(*n, drawn.weight(), drawn.capacity());
        CHECK(run.capacity * set.passing == set.capacity * run.passing);
      }
}

TEST_CASE("the narrowest cut for uniform traffic is half of a grid, a group of a dragonfly, a leaf of a fat-tree") {
  const auto one = [](int, int) { return 1; };
  for (const SharedNetwork& n :
       {grid_network({3, 3}, false), grid_network({3, 3}, true), grid_network({2, 4}, false),
        grid_network({2, 4}, true), grid_network({4, 2}, false), grid_network({4, 2}, true),
        grid_network({2, 3, 2}, false), grid_network({1, 6}, true),
        adaptive_dragonfly(1, 3, 1, 4, topo::DragonflyRouting::ugal), adaptive_fat_tree(4, 2)}) {
    const Cut run = narrowest_run(*n, uniform, one);
    const Cut set = narrowest_set(*n, uniform, one);
    CHECK(run.capacity * set.passing == set.capacity * run.passing);
  }
}

TEST_CASE("whatever minimal ways packets take, some cable is as full as the narrowest of the routes' own cuts") {
  stats::RandomStream random(1, "ways");
  for (const SharedNetwork& n : {adaptive_grid({4, 3}, true, topo::GridRouting::minimal_adaptive),
                                 adaptive_grid({4, 3}, false, topo::GridRouting::minimal_adaptive, 2),
                                 adaptive_grid({5}, true, topo::GridRouting::minimal_adaptive),
                                 adaptive_grid({2, 1, 3}, true, topo::GridRouting::minimal_adaptive)})
    for (int i = 0; i < 10; ++i) {
      const Drawn drawn(*n, random);
      std::map<std::pair<int, int>, std::int64_t> passing;
      for (const auto& [pair, w] : drawn.weights) {
        topo::Trip trip{static_cast<std::uint32_t>(pair.first), static_cast<std::uint32_t>(pair.second), 0, 0};
        for (int r = n->router_of(pair.first); r != n->router_of(pair.second);) {
          topo::Ways ways;
          n->routes().adaptive()->ways(r, trip, topo::AdaptiveRoutes::Draws::own, ways);
          const int p = ways[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(ways.size())))].hop.port;
          passing[{r, p}] += w;
          r = n->peer(r, p).number;
        }
      }
      Cut fullest{0, 1};
      for (const auto& [port, w] : passing)
        if (const Cut c{w, drawn.capacities.at(port)}; narrower(c, fullest)) fullest = c;
      Cut own{0, 1};
      n->routes().adaptive()->for_own_cuts(drawn.weight(), drawn.capacity(), [&](const Cut& c) {
        REQUIRE(c.passing > 0);
        if (narrower(c, own)) own = c;
      });
      CHECK(!narrower(own, fullest));
      if (n->grid()->dimensions() == 1) CHECK(!narrower(fullest, own));
    }
}

TEST_CASE("routes over any router have no cuts of their own") {
  for (const SharedNetwork& n :
       {adaptive_grid({4, 3}, true, topo::GridRouting::valiant), adaptive_grid({4, 3}, true, topo::GridRouting::ugal)})
    n->routes().adaptive()->for_own_cuts(
        uniform, [](int, int) { return 1; }, [](const Cut&) { FAIL("a cut"); });
}

}  // namespace topo_cuts_test
