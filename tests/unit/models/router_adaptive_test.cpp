// SPDX-License-Identifier: Apache-2.0
// What a packet's header draws where routes choose, and what a router makes of a choice.
#include <cmath>
#include <cstdint>
#include <map>
#include <set>

#include "models/router/routing.hpp"
#include "support/catch.hpp"
#include "support/topo/adaptive_networks.hpp"

namespace router_adaptive_test {

using namespace tsunagi;
using namespace tsunagi::router;
using namespace tsunagi::test;
using topo::GridRouting;

TEST_CASE("what is drawn for a packet depends on its sender and its number, not on where it goes") {
  std::set<std::uint32_t> all;
  for (int source = 0; source < 20; ++source)
    for (std::uint64_t number = 0; number < 20; ++number) {
      const std::uint32_t mix = header_of(source, 5, 2, number).mix;
      CHECK(mix == header_of(source, 6, 2, number).mix);
      all.insert(mix);
      all.insert(header_of(source, 5, 2, number + (std::uint64_t{1} << 32)).mix);
    }
  CHECK(all.size() == 800);
  std::map<int, int> channels;
  for (std::uint64_t number = 0; number < 4000; ++number) ++channels[header_of(3, 5, 4, number).vc];
  REQUIRE(channels.size() == 4);
  for (const auto& [vc, count] : channels) CHECK(std::abs(count - 1000) < 5 * std::sqrt(1000.0));
}

TEST_CASE("a router chooses among what the packet itself has drawn, and notes it in the header") {
  const SharedNetwork n = adaptive_grid({4, 3}, true, GridRouting::valiant);
  Routing routing(n, 4, true);
  std::map<std::uint32_t, int> turns;
  for (std::uint64_t number = 0; number < 1200; ++number) {
    AdaptiveHeader h;
    h.plain = header_of(0, 6, 4, number);
    int at = 0;
    for (int passed = 0;; ++passed) {
      REQUIRE(passed < 8);  // two ways of three routers at most, and the terminal
      const Hop hop = routing.choose(at, h, [](int) { return std::int64_t{0}; });
      if (passed == 0) ++turns[(h.via - 1) / 4];
      const topo::Network::Peer& peer = n->peer(at, hop.port);
      if (peer.kind == topo::Network::Peer::Kind::terminal) break;
      at = peer.number;
    }
    REQUIRE(at == 6);
  }
  CHECK(turns.size() == 12);
}

TEST_CASE("a class is the virtual channel modulo their number, and its channels carry alike") {
  const SharedNetwork n = adaptive_grid({5, 5}, true, GridRouting::minimal_adaptive);
  const topo::AdaptiveRoutes& routes = *n->routes().adaptive();
  Routing routing(n, 12, true);
  std::map<int, int> lanes;
  for (int to = 1; to < 25; ++to)
    for (std::uint64_t i = 0; i < 100; ++i) {
      AdaptiveHeader h;
      h.plain = header_of(0, to, 12, 100 * static_cast<std::uint64_t>(to) + i);
      topo::Ways ways;
      routes.ways(0, {0, h.plain.destination, h.plain.mix, 0}, topo::AdaptiveRoutes::Draws::own, ways);
      const Hop hop = routing.choose(0, h, [](int) { return std::int64_t{0}; });
      REQUIRE(hop.vc % 6 == ways.front().hop.channel_class);
      ++lanes[hop.vc / 6];
    }
  REQUIRE(lanes.size() == 2);
  for (const auto& [lane, count] : lanes) CHECK(std::abs(count - 1200) < 5 * std::sqrt(600.0));
}

}  // namespace router_adaptive_test
