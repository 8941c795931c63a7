// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <set>

#include "models/router/link.hpp"
#include "models/router/routing.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"
#include "topo/deadlock.hpp"

namespace router_routing_test {

using namespace tsunagi;
using namespace tsunagi::router;

namespace {

std::shared_ptr<const topo::Grid> grid(std::vector<int> sizes, bool wrap, int terminals = 1) {
  return std::make_shared<const topo::Grid>(std::move(sizes), wrap, terminals);
}

int distance(const topo::Grid& g, int a, int b) {
  int sum = 0;
  for (int d = 0; d < g.dimensions(); ++d) {
    const int straight = std::abs(g.coordinate(a, d) - g.coordinate(b, d));
    sum += g.wraps() ? std::min(straight, g.size(d) - straight) : straight;
  }
  return sum;
}

const std::vector<std::shared_ptr<const topo::Grid>>& shapes() {
  static const std::vector<std::shared_ptr<const topo::Grid>> all = {
      grid({2}, true),    grid({3}, true),       grid({5}, true),       grid({16}, true),
      grid({8, 8}, true), grid({4, 5}, true, 2), grid({3, 2, 4}, true), grid({4, 4, 4}, true),
      grid({1, 6}, true), grid({4, 3}, false),   grid({7}, false),      grid({}, false, 9)};
  return all;
}

/// Dependencies among the virtual channels of all router outputs, and of the wires from terminals, over all pairs.
bool can_deadlock(const Routing& routing, int virtual_channels) {
  const topo::Grid& g = routing.grid();
  std::vector<topo::Dependency> all;
  for (int from = 0; from < g.terminals(); ++from) {
    for (int to = 0; to < g.terminals(); ++to) {
      auto held = static_cast<std::uint32_t>((g.routers() * g.ports() + from) * virtual_channels +
                                             header_of(from, to, virtual_channels).vc);
      routing.walk(from, to, [&](int at, Hop hop) {
        const auto wanted = static_cast<std::uint32_t>((at * g.ports() + hop.port) * virtual_channels + hop.vc);
        all.push_back({held, wanted});
        held = wanted;
      });
    }
  }
  const auto channels = static_cast<std::uint32_t>((g.routers() * g.ports() + g.terminals()) * virtual_channels);
  return !topo::dependency_cycle(channels, all).empty();
}

/// Packets over each router output when every terminal sends one to every other.
std::vector<int> loads(const Routing& routing) {
  const topo::Grid& g = routing.grid();
  std::vector<int> out(static_cast<std::size_t>(g.routers() * 2 * g.dimensions()));
  for (int from = 0; from < g.terminals(); ++from)
    for (int to = 0; to < g.terminals(); ++to)
      routing.walk(from, to, [&](int at, Hop hop) {
        if (!g.is_terminal_port(hop.port)) ++out[static_cast<std::size_t>(at * 2 * g.dimensions() + hop.port)];
      });
  return out;
}

}  // namespace

TEST_CASE("every route is minimal, in dimension order and ends at its terminal") {
  for (const auto& g : shapes()) {
    const Routing routing(g, 2, true);
    for (int from = 0; from < g->terminals(); ++from) {
      for (int to = 0; to < g->terminals(); ++to) {
        int hops = 0, last_port = -1, last_dimension = 0;
        routing.walk(from, to, [&](int at, Hop hop) {
          last_port = hop.port;
          REQUIRE(hop.vc < 2);
          if (g->is_terminal_port(hop.port)) {
            REQUIRE(at == g->router_of(to));
            return;
          }
          REQUIRE(g->neighbour(at, hop.port) >= 0);
          REQUIRE(hop.port / 2 >= last_dimension);
          last_dimension = hop.port / 2;
          ++hops;
        });
        REQUIRE(hops == distance(*g, g->router_of(from), g->router_of(to)));
        REQUIRE(last_port == g->terminal_port(to));
      }
    }
  }
}

TEST_CASE("half-way round a ring, half of the routers go up and half down") {
  const Routing routing(grid({16}, true), 2, true);
  for (int from = 0; from < 16; ++from)
    CHECK(routing.next(from, header_of(from, (from + 8) % 16, 2)).port == topo::Grid::port(0, from % 2 == 0));
}

TEST_CASE("uniform traffic loads all wires of a torus alike, as far as the bisection bound") {
  for (const int k : {4, 8, 16}) {
    // Half of all pairs cross the bisection, k/2 * k^(n-1) sources on each side, 2 k^(n-1) wires each way.
    const std::vector<int> ring = loads(Routing(grid({k}, true), 2, true));
    CHECK(std::set<int>(ring.begin(), ring.end()) == std::set<int>{k * k / 8});
  }
  const std::vector<int> torus = loads(Routing(grid({8, 8}, true), 2, true));
  CHECK(std::set<int>(torus.begin(), torus.end()) == std::set<int>{64});
}

TEST_CASE("datelines keep rings and tori free of deadlock") {
  for (const auto& g : shapes()) {
    CHECK(!can_deadlock(Routing(g, Routing::virtual_channels_needed(*g), true), Routing::virtual_channels_needed(*g)));
    CHECK(!can_deadlock(Routing(g, 4, true), 4));
  }
}

TEST_CASE("without datelines rings and tori can deadlock, meshes and crossbars cannot") {
  CHECK(can_deadlock(Routing(grid({5}, true), 1, false), 1));
  for (const int virtual_channels : {1, 2, 4}) {
    CHECK(can_deadlock(Routing(grid({16}, true), virtual_channels, false), virtual_channels));
    CHECK(can_deadlock(Routing(grid({8, 8}, true), virtual_channels, false), virtual_channels));
    CHECK(!can_deadlock(Routing(grid({8, 8}, false), virtual_channels, false), virtual_channels));
    CHECK(!can_deadlock(Routing(grid({}, false, 8), virtual_channels, false), virtual_channels));
  }
}

TEST_CASE("both virtual channels of a torus carry load") {
  const Routing routing(grid({8, 8}, true), 2, true);
  int uses[2] = {};
  for (int from = 0; from < 64; ++from)
    for (int to = 0; to < 64; ++to) routing.walk(from, to, [&](int, Hop hop) { ++uses[hop.vc]; });
  // Packets that cross a dateline use the lower one on the wire of the dateline, too, hence more often.
  CHECK(std::min(uses[0], uses[1]) * 4 > std::max(uses[0], uses[1]) * 3);
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
