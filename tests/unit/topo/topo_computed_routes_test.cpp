// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <numeric>

#include "support/catch.hpp"
#include "support/topo/graphs.hpp"
#include "support/topo/networks.hpp"
#include "topo/routes/computed_routes.hpp"
#include "topo/routes/verify.hpp"

namespace topo_computed_routes_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

/// The network of a shape with routes that `make` computes.
template <class Make>
SharedNetwork routed(const Shape& shape, Make&& make) {
  topo::Network net = graph_network(shape);
  net.set_routes(std::make_shared<const topo::RouteTable>(make(net)));
  return share(std::move(net));
}

SharedNetwork shortest(const Shape& shape) {
  return routed(shape, [](const topo::Network& n) { return topo::shortest_routes(n); });
}

SharedNetwork up_down(const Shape& shape, int root) {
  return routed(shape, [root](const topo::Network& n) { return topo::up_down_routes(n, root); });
}

/// Calls `check(shape, random)` for 200 graphs.
template <class Check>
void for_random_graphs(Check&& check) {
  stats::RandomStream random(1, "graphs");
  for (int i = 0; i < 200; ++i) check(random_shape(random, 24), random);
}

/// Calls `check(source, destination)` for all pairs of terminals.
template <class Check>
void for_pairs(const topo::Network& network, Check&& check) {
  for (int from = 0; from < network.terminals(); ++from)
    for (int to = 0; to < network.terminals(); ++to)
      if (from != to) check(from, to);
}

/// Cables between routers that go down only, and what up*/down* ways cost that go down as soon as they can.
std::vector<std::vector<int>> up_down_costs(const Shape& shape, int root) {
  const std::vector<int> level = hop_counts(shape)[static_cast<std::size_t>(root)];
  const auto n = static_cast<std::size_t>(shape.routers);
  const auto is_down = [&](std::size_t a, std::size_t b) { return std::pair(level[a], a) < std::pair(level[b], b); };
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), is_down);
  const int never = 2 * shape.routers;
  std::vector<std::vector<int>> cost(n, std::vector<int>(n, never));
  const auto relax = [&](std::size_t to, std::size_t from, std::size_t over) {
    cost[from][to] = std::min(cost[from][to], cost[over][to] + 1);
  };
  for (std::size_t to = 0; to < n; ++to) {
    cost[to][to] = 0;
    std::vector<bool> goes_down(n);
    for (auto r = order.rbegin(); r != order.rend(); ++r) {  // the lowest first
      for (const auto& [a, b] : shape.edges)
        for (const auto& [x, y] :
             {std::pair<std::size_t, std::size_t>(a, b), std::pair<std::size_t, std::size_t>(b, a)})
          if (x == *r && is_down(x, y)) relax(to, x, y);
      goes_down[*r] = cost[*r][to] < never;
    }
    for (const std::size_t r : order)  // the root first
      if (!goes_down[r])
        for (const auto& [a, b] : shape.edges)
          for (const auto& [x, y] :
               {std::pair<std::size_t, std::size_t>(a, b), std::pair<std::size_t, std::size_t>(b, a)})
            if (x == r && is_down(y, x)) relax(to, x, y);
  }
  return cost;
}

const Shape ring_of_4{4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, {1, 1, 1, 1}};

}  // namespace

TEST_CASE("shortest routes of random graphs have as many hops as Floyd and Warshall count") {
  for_random_graphs([](const Shape& shape, stats::RandomStream&) {
    const SharedNetwork net = shortest(shape);
    const auto hops = hop_counts(shape);
    for_pairs(*net, [&](int from, int to) {
      const int least =
          hops[static_cast<std::size_t>(net->router_of(from))][static_cast<std::size_t>(net->router_of(to))];
      REQUIRE(static_cast<int>(routers_between(*net, from, to).size()) == least + 1);
    });
  });
}

TEST_CASE("up and down routes of random graphs never go up after down and are as short as that lets them be") {
  for_random_graphs([](const Shape& shape, stats::RandomStream& random) {
    const int root = static_cast<int>(random.below(shape.routers));
    const SharedNetwork net = up_down(shape, root);
    const std::vector<int> level = hop_counts(shape)[static_cast<std::size_t>(root)];
    const auto costs = up_down_costs(shape, root);
    const auto height = [&](int r) { return std::pair(level[static_cast<std::size_t>(r)], r); };
    for_pairs(*net, [&](int from, int to) {
      const std::vector<int> way = routers_between(*net, from, to);
      REQUIRE(static_cast<int>(way.size()) ==
              1 + costs[static_cast<std::size_t>(way.front())][static_cast<std::size_t>(way.back())]);
      bool went_down = false;
      for (std::size_t i = 1; i < way.size(); ++i) {
        const bool down = height(way[i - 1]) < height(way[i]);
        REQUIRE((down || !went_down));
        went_down = down;
      }
    });
    REQUIRE_FALSE(can_deadlock(net, 1));
  });
}

TEST_CASE("what can deadlock is found a destination at a time as it is over all pairs") {
  int circles = 0;
  for_random_graphs([&](const Shape& shape, stats::RandomStream&) {
    const SharedNetwork net = shortest(shape);
    const topo::Verdict verdict = topo::verify(*net);
    REQUIRE_FALSE(verdict.lost);
    REQUIRE(verdict.circle.empty() != can_deadlock(net, 1));
    circles += verdict.circle.empty() ? 0 : 1;
  });
  CHECK(circles > 10);
  CHECK(circles < 190);
}

TEST_CASE("ports that are equally good share the destinations") {
  const SharedNetwork net = shortest({2, {{0, 1}, {0, 1}, {0, 1}}, {1, 6}});
  for (int t = 1; t < 7; ++t) CHECK(net->routes().next(0, topo::trip_of(0, t)).port == t % 3);
  // up from 3 by either way to the root, or down to 3 from it: 0 above 1 and 2, both above 3
  const SharedNetwork diamond = up_down({4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}, {2, 0, 0, 2}}, 0);
  for (int t : {0, 1}) CHECK(diamond->routes().next(3, topo::trip_of(3, t)).port == t % 2);
  for (int t : {2, 3}) CHECK(diamond->routes().next(0, topo::trip_of(0, t)).port == t % 2);
}

TEST_CASE("in a ring the shortest ways can deadlock and those up and down pass its bottom only by ending there") {
  CHECK(topo::verify(*shortest({5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}}, {1, 1, 1, 1, 1}})).circle.size() == 5);
  const SharedNetwork net = up_down(ring_of_4, 1);
  for_pairs(*net, [&](int from, int to) {
    const std::vector<int> way = routers_between(*net, from, to);
    for (std::size_t i = 1; i + 1 < way.size(); ++i) CHECK(way[i] != 3);  // opposite to the root
  });
  CHECK(routers_between(*net, 0, 2) == std::vector<int>{0, 1, 2});
}

TEST_CASE("a router that can only go up takes the way that is shortest in all") {
  // root 0; 1 and 2 below it; 3 below both by way of 4, which is nearer by 2
  const SharedNetwork net = up_down({6, {{0, 1}, {0, 2}, {1, 3}, {2, 4}, {1, 5}, {2, 5}}, {1, 1, 1, 1, 1, 1}}, 0);
  CHECK(routers_between(*net, 5, 3) == std::vector<int>{5, 1, 3});
  CHECK(routers_between(*net, 5, 4) == std::vector<int>{5, 2, 4});
  CHECK(routers_between(*net, 3, 4) == std::vector<int>{3, 1, 0, 2, 4});
}

TEST_CASE("of routers at one distance from the root the lower number is up") {
  const topo::Network net = graph_network({3, {{0, 1}, {0, 2}, {1, 2}}, {1, 1, 1}});
  CHECK(topo::UpDown(net, 0).is_up(2, 1));
  CHECK_FALSE(topo::UpDown(net, 0).is_up(1, 2));
  CHECK(topo::UpDown(net, 2).is_up(1, 2));
  CHECK(topo::UpDown(net, 2).order() == std::vector<int>{2, 0, 1});
}

TEST_CASE("a router that no cable reaches is found") {
  CHECK(topo::cut_off(graph_network({4, {{0, 1}, {2, 3}}, {1, 1, 1, 1}})) == 2);
  CHECK(topo::cut_off(graph_network(ring_of_4)) == -1);
}

}  // namespace topo_computed_routes_test
