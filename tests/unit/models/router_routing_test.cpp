// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "models/router/link.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"
#include "support/topo/networks.hpp"
#include "topo/grid.hpp"

namespace router_routing_test {

using namespace tsunagi;
using namespace tsunagi::router;
using namespace tsunagi::test;

namespace {

/// A grid, and the network that it is.
struct Shape {
  topo::Grid grid;
  SharedNetwork network;
};

Shape shape(const std::vector<int>& sizes, bool wrap, int terminals = 1) {
  return {topo::Grid(sizes, wrap, terminals), grid_network(sizes, wrap, terminals)};
}

int distance(const topo::Grid& g, int a, int b) {
  int sum = 0;
  for (int d = 0; d < g.dimensions(); ++d) {
    const int straight = std::abs(g.coordinate(a, d) - g.coordinate(b, d));
    sum += g.wraps() ? std::min(straight, g.size(d) - straight) : straight;
  }
  return sum;
}

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {shape({2}, true),       shape({3}, true),       shape({5}, true),
                                         shape({16}, true),      shape({8, 8}, true),    shape({4, 5}, true, 2),
                                         shape({3, 2, 4}, true), shape({4, 4, 4}, true), shape({1, 6}, true),
                                         shape({4, 3}, false),   shape({7}, false),      shape({}, false, 9)};
  return all;
}

/// Packets over each wire between routers when every terminal sends one to every other.
std::set<std::int64_t> loads(const SharedNetwork& n) {
  std::vector<std::int64_t> out(n->all_ports());
  for (int from = 0; from < n->terminals(); ++from)
    for (int to = 0; to < n->terminals(); ++to)
      n->walk(from, to, [&](int at, topo::Hop hop) { ++out[n->port_index(at, hop.port)]; });
  std::set<std::int64_t> between;
  for (int r = 0; r < n->routers(); ++r)
    for (int p = 0; p < n->ports(r); ++p)
      if (n->peer(r, p).kind == topo::Network::Peer::Kind::router) between.insert(out[n->port_index(r, p)]);
  return between;
}

}  // namespace

TEST_CASE("every route is minimal, in dimension order and ends at its terminal") {
  for (const auto& [g, network] : shapes()) {
    const Routing routing(network, 2, true);
    for (int from = 0; from < g.terminals(); ++from) {
      for (int to = 0; to < g.terminals(); ++to) {
        int hops = 0, last_port = -1, last_dimension = 0;
        walk(routing, 2, from, to, [&, &g = g](int at, Hop hop) {
          last_port = hop.port;
          REQUIRE(hop.vc < 2);
          if (g.is_terminal_port(hop.port)) {
            REQUIRE(at == g.router_of(to));
            return;
          }
          REQUIRE(g.neighbour(at, hop.port) >= 0);
          REQUIRE(hop.port / 2 >= last_dimension);
          last_dimension = hop.port / 2;
          ++hops;
        });
        REQUIRE(hops == distance(g, g.router_of(from), g.router_of(to)));
        REQUIRE(last_port == g.terminal_port(to));
      }
    }
  }
}

TEST_CASE("half-way round a ring, half of the routers go up and half down") {
  const Routing routing(grid_network({16}, true), 2, true);
  for (int from = 0; from < 16; ++from)
    CHECK(routing.next(from, header_of(from, (from + 8) % 16, 2)).port == topo::Grid::port(0, from % 2 == 0));
}

TEST_CASE("half-way round, packets go up from even coordinates and down from odd ones") {
  for (const int k : {4, 6}) {
    const SharedNetwork n = grid_network({k}, true);
    for (int from = 0; from < k; ++from)
      CHECK(n->routes().next(from, topo::trip_of(from, (from + k / 2) % k)).port == topo::Grid::port(0, from % 2 == 0));
  }
}

TEST_CASE("packets that cross a dateline take class 0 up to it and class 1 behind, all others what their mix says") {
  for (const std::vector<int>& sizes : {std::vector<int>{6}, std::vector<int>{5, 4}}) {
    const Shape s = shape(sizes, true);
    for (int from = 0; from < s.grid.routers(); ++from)
      for (int to = 0; to < s.grid.routers(); ++to) {
        const topo::Trip trip = topo::trip_of(from, to);
        // of each dimension, in the order of the hops: whether the wire wraps, and the class on it
        std::vector<std::vector<std::pair<bool, int>>> hops(sizes.size());
        s.network->walk(from, to, [&](int at, topo::Hop hop) {
          if (s.grid.is_terminal_port(hop.port)) return;
          const bool up = hop.port % 2 == 0;
          hops[static_cast<std::size_t>(hop.port / 2)].emplace_back(up != (s.network->peer(at, hop.port).number > at),
                                                                    hop.channel_class);
        });
        for (const auto& dimension : hops) {
          const bool crosses = std::any_of(dimension.begin(), dimension.end(), [](const auto& h) { return h.first; });
          bool behind = false;
          for (const auto& [wraps, channel_class] : dimension) {
            REQUIRE(channel_class == (!crosses ? static_cast<int>(trip.mix & 1) : behind ? 1 : 0));
            behind = behind || wraps;
          }
        }
      }
  }
}

TEST_CASE("uniform traffic loads all wires of a torus alike, as far as the bisection bound") {
  // Half of all pairs cross the bisection, k/2 * k^(n-1) sources on each side, 2 k^(n-1) wires each way.
  for (const int k : {4, 8, 16}) CHECK(loads(grid_network({k}, true)) == std::set<std::int64_t>{k * k / 8});
  CHECK(loads(grid_network({8, 8}, true)) == std::set<std::int64_t>{64});
}

TEST_CASE("datelines keep rings and tori free of deadlock") {
  for (const Shape& s : shapes()) {
    CHECK(!can_deadlock(s.network, s.network->routes().classes()));
    CHECK(!can_deadlock(s.network, 4));
  }
}

TEST_CASE("without datelines rings and tori can deadlock, meshes and crossbars cannot") {
  CHECK(can_deadlock(grid_network({5}, true), 1, false));
  for (const int virtual_channels : {1, 2, 4}) {
    CHECK(can_deadlock(grid_network({16}, true), virtual_channels, false));
    CHECK(can_deadlock(grid_network({8, 8}, true), virtual_channels, false));
    CHECK(!can_deadlock(grid_network({8, 8}, false), virtual_channels, false));
    CHECK(!can_deadlock(grid_network({}, false, 8), virtual_channels, false));
  }
}

TEST_CASE("both virtual channels of a torus carry load") {
  const Routing routing(grid_network({8, 8}, true), 2, true);
  int uses[2] = {};
  for (int from = 0; from < 64; ++from)
    for (int to = 0; to < 64; ++to) walk(routing, 2, from, to, [&](int, Hop hop) { ++uses[hop.vc]; });
  // Packets that cross a dateline use the lower one on the wire of the dateline, too, hence more often.
  CHECK(std::min(uses[0], uses[1]) * 4 > std::max(uses[0], uses[1]) * 3);
}

TEST_CASE("packets that cross no dateline use every virtual channel of both classes") {
  const Routing routing(grid_network({64}, true), 4, true);
  std::set<int> used;
  for (int from = 0; from < 63; ++from)
    walk(routing, 4, from, from + 1, [&](int at, Hop hop) {
      if (at == from) used.insert(hop.vc);
    });
  CHECK(used == std::set<int>{0, 1, 2, 3});
}

TEST_CASE("packets fill whole flits, and a credit is a flit") {
  const LinkFraming f(8_B, 16_B, 2);
  flow::Packet p;
  p.header<Header>().vc = 1;
  CHECK(f.size(p, 64_B).total() == 80_B);
  CHECK(f.size(p, 56_B).total() == 64_B);
  CHECK(f.size(p, 56_B).framing == 0_B);
  CHECK(f.cost(p, 57_B) == flow::Credits{1, 5});
  CHECK(f.flow_class(p) == 1);
  CHECK(f.may_pass(1, 0));
  CHECK(!f.may_pass(1, 1));
}

TEST_CASE("the payload rate of a message is that of its packets") {
  net::WireSpec w;
  w.framing = std::make_shared<LinkFraming>(8_B, 16_B, 2);
  w.rate = Rate::bytes_per_second(16'000'000'000);
  w.max_payload = 256_B;
  CHECK(payload_rate(w, 64_B) == Rate::bytes_per_second(12'800'000'000));
  CHECK(payload_rate(w, 512_B) == Rate::bytes_in(512, 34'000'000));  // twice 17 flits of 1 ns, and nothing behind
  CHECK(payload_rate(w, 320_B) == Rate::bytes_in(320, 22'000'000));  // 17 and 5 flits of 1 ns
}

}  // namespace router_routing_test
