// SPDX-License-Identifier: Apache-2.0
// Routes that choose: what they permit and what it costs.
#include <algorithm>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/topo/adaptive_networks.hpp"
#include "topo/routes/verify.hpp"

namespace topo_adaptive_test {

using namespace tsunagi;
using namespace tsunagi::test;
using topo::DragonflyRouting;
using topo::GridRouting;
using topo::Way;
using topo::Ways;
using Draws = topo::AdaptiveRoutes::Draws;

namespace {

Ways ways(const topo::Network& n, int router, const topo::Trip& trip, Draws draws = Draws::all) {
  Ways out;
  n.routes().adaptive()->ways(router, trip, draws, out);
  return out;
}

/// Every way says how many outputs are left, whatever is chosen behind it.
void expect_hops(const topo::Network& n, int router, topo::Trip trip, int left) {
  for (const Way& w : ways(n, router, trip, Draws::own)) {
    const topo::Network::Peer& peer = n.peer(router, w.hop.port);
    if (peer.kind == topo::Network::Peer::Kind::terminal) {
      REQUIRE(left == 1);
      continue;
    }
    trip.via = w.via;
    expect_hops(n, peer.number, trip, left - 1);
  }
}

}  // namespace

TEST_CASE("the least costly way is the one of least backlog times hops, of equals the first") {
  const Ways all = {{{0, 0}, 1, 3, 0}, {{1, 0}, 2, 6, 0}, {{2, 0}, 3, 6, 10}};
  const auto chosen = [&](std::vector<std::int64_t> backlog) {
    return topo::least_costly(all, [&](int port) { return backlog[static_cast<std::size_t>(port)]; }).hop.port;
  };
  CHECK(chosen({0, 0, 0}) == 0);
  CHECK(chosen({2, 1, 0}) == 0);  // 6, 6, 10
  CHECK(chosen({3, 1, 0}) == 1);  // 9, 6, 10
  CHECK(chosen({4, 2, 0}) == 2);  // 12, 12, 10
  CHECK(chosen({3, 2, 0}) == 0);  // 9, 12, 10
}

TEST_CASE("a detour is taken when it is cheaper by more than the threshold, of ways that cost the same the first") {
  // Three hops against five and a threshold of 100.
  const Ways both = {{{0, 0}, 1, 3, 0}, {{1, 0}, 2, 5, 100}};
  const auto chosen = [&](std::int64_t direct, std::int64_t detour) {
    return topo::least_costly(both, [&](int port) { return port == 0 ? direct : detour; }).hop.port;
  };
  CHECK(chosen(33, 0) == 0);
  CHECK(chosen(34, 0) == 1);
  CHECK(chosen(35, 1) == 0);  // 105 and 105
  CHECK(chosen(36, 2) == 0);  // 108 and 110
  CHECK(chosen(37, 2) == 1);  // 111 and 110
}

TEST_CASE("a queue of one packet of 17 flits sends nobody on a detour where three hops are left, one of two does") {
  const SharedNetwork n = share(topo::dragonfly_network({2, 4, 2, 9, DragonflyRouting::ugal, {}, {}, {}}));
  int compared = 0;
  for (int to = 8; to < n->terminals(); ++to) {
    const Ways both = ways(*n, 0, topo::trip_of(0, to), Draws::own);
    if (both[0].hops != 3 || both[0].hop.port == both[1].hop.port) continue;
    ++compared;
    for (const int packets : {1, 2}) {
      const auto backlog = [&](int port) { return port == both[0].hop.port ? std::int64_t{17 * packets} : 0; };
      CHECK(&topo::least_costly(both, backlog) == &both[static_cast<std::size_t>(packets - 1)]);
    }
  }
  CHECK(compared > 5);
}

TEST_CASE("the way that UGAL prefers is the minimal one, and only detours have the threshold against them") {
  for (const std::int64_t threshold : {0, 37}) {
    const topo::ChoiceConfig choice{1, threshold};
    for (const SharedNetwork& n :
         {grid_network({4, 3}, true, 2, {GridRouting::ugal, choice}),
          grid_network({4, 3}, false, 1, {GridRouting::ugal, choice}),
          share(topo::dragonfly_network({2, 2, 2, 5, DragonflyRouting::ugal, choice, {}, {}}))})
      for (int from = 0; from < n->terminals(); ++from) {
        const std::vector<int> least = distances(*n, n->router_of(from));
        for (int to = 0; to < n->terminals(); ++to)
          for (const Draws draws : {Draws::own, Draws::all}) {
            const Ways all = ways(*n, n->router_of(from), topo::trip_of(from, to), draws);
            if (all.size() == 1) continue;
            const auto is_direct = [&](const Way& w) {
              return w.bias == 0 && w.hops == least[static_cast<std::size_t>(n->router_of(to))] + 1;
            };
            if (n->grid() != nullptr) REQUIRE(is_direct(all.front()));
            REQUIRE(all.front().bias == 0);
            const bool several = n->grid() != nullptr && draws == Draws::all;  // by the channels of either stage
            for (std::size_t i = 1; i < all.size(); ++i)
              REQUIRE((all[i].bias == threshold || (several && is_direct(all[i]))));
            REQUIRE(all.front().hops <= all.back().hops);
          }
      }
  }
}

TEST_CASE("a walk over adaptive routes goes as the pair's packet does where nothing waits") {
  for (const SharedNetwork& n :
       {adaptive_grid({4, 3}, true, GridRouting::valiant), adaptive_grid({4, 3}, false, GridRouting::ugal),
        adaptive_dragonfly(1, 4, 2, 9, DragonflyRouting::valiant_by_packet), adaptive_fat_tree(4, 2)})
    for (int from = 0; from < n->terminals(); ++from)
      for (int to = 0; to < n->terminals(); ++to) {
        topo::Trip trip = topo::trip_of(from, to);
        std::vector<int> way, walked;
        for (int at = n->router_of(from);;) {
          const Way first = ways(*n, at, trip, Draws::own).front();
          way.push_back(at);
          const topo::Network::Peer& peer = n->peer(at, first.hop.port);
          if (peer.kind == topo::Network::Peer::Kind::terminal) break;
          trip.via = first.via;
          at = peer.number;
        }
        n->walk(from, to, [&](int router, topo::Hop) { walked.push_back(router); });
        REQUIRE(walked == way);
      }
}

TEST_CASE("where nothing waits an adaptive fat-tree sends as D-mod-k does") {
  const SharedNetwork adaptive = adaptive_fat_tree(4, 3);
  const SharedNetwork d_mod_k = share(topo::fat_tree_network({4, 3, 0, {}, topo::UpRoutes::d_mod_k, 1, {}, {}}));
  for (int from = 0; from < 16; ++from)
    for (int to = 0; to < 16; ++to)
      for (int r = 0; r < adaptive->routers(); ++r)
        REQUIRE(adaptive->routes().next(r, topo::trip_of(from, to)).port ==
                d_mod_k->routes().next(r, topo::trip_of(from, to)).port);
  const Ways up = ways(*adaptive, 0, topo::trip_of(0, 15));
  CHECK(up.size() == 2);
}

TEST_CASE("every way of a grid says how many outputs are left") {
  for (const GridRouting routing : {GridRouting::valiant, GridRouting::ugal, GridRouting::minimal_adaptive})
    for (const bool wrap : {false, true}) {
      const SharedNetwork n = adaptive_grid({4, 3}, wrap, routing);
      for (int from = 0; from < 12; ++from)
        for (int to = 0; to < 12; ++to)
          for (std::uint32_t mix = 0; mix < 5; ++mix) {
            topo::Trip trip = topo::trip_of(from, to);
            trip.mix = mix * 0x33333333u;
            for (const Way& w : ways(*n, from, trip, Draws::own)) {
              const topo::Network::Peer& peer = n->peer(from, w.hop.port);
              if (peer.kind == topo::Network::Peer::Kind::terminal) continue;
              topo::Trip on = trip;
              on.via = w.via;
              expect_hops(*n, peer.number, on, w.hops - 1);
            }
          }
    }
}

TEST_CASE("every way of a dragonfly says how many outputs are left") {
  for (const int groups : {9, 3}) {
    const SharedNetwork n = adaptive_dragonfly(1, 4, 2, groups, DragonflyRouting::ugal);
    for (int from = 0; from < n->terminals(); ++from)
      for (int to = 0; to < n->terminals(); ++to) {
        if (from / 4 == to / 4) continue;
        const topo::Trip trip = topo::trip_of(from, to);
        const Ways both = ways(*n, from, trip, Draws::own);
        REQUIRE(both.size() == 2);
        for (const Way& w : both) {
          topo::Trip on = trip;
          on.via = w.via;
          expect_hops(*n, n->peer(from, w.hop.port).number, on, w.hops - 1);
        }
      }
  }
}

TEST_CASE("minimal adaptive routes permit every dimension that is left, and nothing longer") {
  const SharedNetwork n = adaptive_grid({5, 4}, true, GridRouting::minimal_adaptive);
  for (int from = 0; from < 20; ++from) {
    const std::vector<int> least = distances(*n, from);
    for (int to = 0; to < 20; ++to) {
      const Ways all = ways(*n, from, topo::trip_of(from, to));
      const int differ = (from % 5 != to % 5) + (from / 5 != to / 5);
      REQUIRE(all.size() == static_cast<std::size_t>(std::max(1, differ)));
      if (from != to) REQUIRE(all.front().hops == least[static_cast<std::size_t>(to)] + 1);
    }
  }
}

TEST_CASE("where there is a choice, all ways lead to routers: nobody counts what waits for terminals") {
  for (const SharedNetwork& n :
       {adaptive_grid({3, 2}, true, GridRouting::minimal_adaptive, 2),
        adaptive_grid({3, 2}, true, GridRouting::ugal, 2), adaptive_grid({3, 2}, false, GridRouting::valiant, 2),
        adaptive_grid({1}, true, GridRouting::ugal, 3), adaptive_dragonfly(2, 2, 2, 3, DragonflyRouting::ugal),
        adaptive_fat_tree(4, 2)})
    for (int from = 0; from < n->terminals(); ++from)
      for (int to = 0; to < n->terminals(); ++to) {
        if (from == to) continue;
        const Ways all = ways(*n, n->router_of(from), topo::trip_of(from, to));
        if (n->router_of(from) == n->router_of(to)) REQUIRE(all.size() == 1);
        if (all.size() == 1) continue;
        for (const Way& w : all)
          REQUIRE(n->peer(n->router_of(from), w.hop.port).kind == topo::Network::Peer::Kind::router);
      }
}

TEST_CASE("what UGAL has decided at the first router holds to the end") {
  for (const SharedNetwork& n :
       {adaptive_grid({4, 4}, true, GridRouting::ugal), adaptive_dragonfly(1, 4, 2, 9, DragonflyRouting::ugal)})
    for (int to = 1; to < n->terminals(); ++to)
      for (const Way& first : ways(*n, 0, topo::trip_of(0, to))) {
        topo::Trip trip = topo::trip_of(0, to);
        trip.via = first.via;
        int at = n->peer(0, first.hop.port).number;
        for (int left = first.hops - 1; left > 1; --left) {
          const Ways all = ways(*n, at, trip);
          REQUIRE(all.size() == 1);
          trip.via = all.front().via;
          at = n->peer(at, all.front().hop.port).number;
        }
        REQUIRE(at == n->router_of(to));
      }
}

TEST_CASE("over a dragonfly's adaptive routes a packet has the class of how many groups lie behind it") {
  constexpr int routers = 4;  // of a group
  for (const DragonflyRouting routing : {DragonflyRouting::valiant_by_packet, DragonflyRouting::ugal}) {
    const SharedNetwork n = adaptive_dragonfly(1, routers, 2, 9, routing);
    for (int to = routers; to < n->terminals(); ++to)
      for (Way w : ways(*n, 0, topo::trip_of(0, to))) {
        topo::Trip trip = topo::trip_of(0, to);
        int behind = 0;
        for (int at = 0; at != n->router_of(to); w = ways(*n, at, trip).front()) {
          REQUIRE(w.hop.channel_class == behind);
          const int next = n->peer(at, w.hop.port).number;
          if (next / routers != at / routers) ++behind;
          at = next;
          trip.via = w.via;
        }
      }
  }
}

}  // namespace topo_adaptive_test
