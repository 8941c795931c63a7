// SPDX-License-Identifier: Apache-2.0
// Routes that choose: the classes of virtual channels that packets are in, and what is drawn for them.
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/topo/adaptive_networks.hpp"
#include "topo/grid.hpp"

namespace topo_adaptive_draws_test {

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

/// As many as `expected` of what is drawn alike, as far as chance allows.
bool about(int count, double expected) { return std::abs(count - expected) < 5 * std::sqrt(expected); }

/// Follows minimal adaptive routes, one of the ways of every pair.
void expect_classes(const topo::Network& n, int from, int to, int extents) {
  const topo::Grid& grid = *n.grid();
  const int each = grid.wraps() ? extents + 1 : 1;
  topo::Trip trip = topo::trip_of(from, to);
  int passed = 0, network = -1;
  for (int at = from; at != to;) {
    trip.mix = topo::mix_of(trip.mix, 1);
    const Way way = ways(n, at, trip, Draws::own).front();
    REQUIRE(way.hop.channel_class < n.routes().classes());
    REQUIRE(way.hop.channel_class % each == passed);
    if (network < 0) network = way.hop.channel_class / each;
    REQUIRE(way.hop.channel_class / each == network);
    const int next = n.peer(at, way.hop.port).number;
    int bit = 0;  // of the dimension, among those of more than one router
    int d = 0;
    for (; way.hop.port != topo::Grid::port(d, true) && way.hop.port != topo::Grid::port(d, false); ++d)
      bit += grid.size(d) > 1 ? 1 : 0;
    const bool up = way.hop.port == topo::Grid::port(d, true);
    if (bit < extents - 1) REQUIRE((network >> bit & 1) == (up ? 0 : 1));
    if (up != (next > at)) ++passed;
    at = next;
  }
}

}  // namespace

TEST_CASE("classes that adaptive routes need") {
  const auto classes = [](const std::vector<int>& sizes, bool wrap, GridRouting routing) {
    return adaptive_grid(sizes, wrap, routing)->routes().classes();
  };
  CHECK(classes({4, 4}, false, GridRouting::minimal_adaptive) == 2);
  CHECK(classes({3, 3, 3}, false, GridRouting::minimal_adaptive) == 4);
  CHECK(classes({4, 4}, true, GridRouting::minimal_adaptive) == 6);
  CHECK(classes({3, 3, 3}, true, GridRouting::minimal_adaptive) == 16);
  CHECK(classes({16}, true, GridRouting::minimal_adaptive) == 2);
  CHECK(classes({4, 1, 4}, true, GridRouting::minimal_adaptive) == 6);
  CHECK(classes({1, 4}, false, GridRouting::minimal_adaptive) == 1);
  CHECK(classes({4, 4}, false, GridRouting::valiant) == 2);
  CHECK(classes({4, 4}, true, GridRouting::ugal) == 4);
  CHECK(adaptive_dragonfly(1, 4, 2, 9, DragonflyRouting::ugal)->routes().classes() == 3);
}

TEST_CASE("a packet keeps the class of its directions, and takes the next one behind each dateline") {
  for (const auto& [sizes, wrap] :
       std::vector<std::pair<std::vector<int>, bool>>{{{5, 4}, true}, {{3, 1, 4, 3}, true}, {{3, 4, 2}, false}}) {
    const SharedNetwork n = adaptive_grid(sizes, wrap, GridRouting::minimal_adaptive);
    const auto extents = static_cast<int>(std::count_if(sizes.begin(), sizes.end(), [](int k) { return k > 1; }));
    for (int from = 0; from < n->terminals(); ++from)
      for (int to = 0; to < n->terminals(); ++to) expect_classes(*n, from, to, extents);
  }
}

TEST_CASE("classes of Valiant's second stage lie behind those of the first, direct ways are in those of either") {
  for (const bool wrap : {false, true}) {
    const SharedNetwork n = adaptive_grid({4, 3}, wrap, GridRouting::ugal);
    const int each = wrap ? 2 : 1;
    for (int from = 0; from < 12; ++from)
      for (int to = 0; to < 12; ++to) {
        if (from == to) continue;
        const Ways all = ways(*n, from, topo::trip_of(from, to));
        REQUIRE(static_cast<int>(all.size()) == each * 14);  // for each lane two direct ways, and 12 detours
        for (int i = 0; i < each * 14; ++i) {
          // Directly as if turning at the sender's router, or at the receiver's.
          const int turn = i % 14 == 0 ? from : i % 14 == 1 ? to : i % 14 - 2;
          topo::Trip trip = topo::trip_of(from, to);
          Way way = all[static_cast<std::size_t>(i)];
          bool turned = turn == from;
          for (int at = from;;) {
            REQUIRE(way.hop.channel_class / each == (turned ? 1 : 0));
            trip.via = way.via;
            at = n->peer(at, way.hop.port).number;
            if (at == to && (turned || turn == to)) break;
            turned = turned || at == turn;
            way = ways(*n, at, trip).front();
          }
        }
      }
  }
}

TEST_CASE("a packet that does not cross a dateline is in either class of the dimension, one that does in both") {
  const SharedNetwork n = adaptive_grid({8}, true, GridRouting::valiant);
  const auto classes = [&](int from, int to, int lane) {
    std::vector<int> out;
    for (const Way& first : ways(*n, from, topo::trip_of(from, to))) {
      if ((first.via - 1) / 4 != static_cast<std::uint32_t>(to)) continue;  // all in the first stage
      if (static_cast<int>((first.via - 1) / 2 % 2) != lane) continue;
      topo::Trip trip = topo::trip_of(from, to);
      Way way = first;
      for (int at = from;; way = ways(*n, at, trip).front()) {
        out.push_back(way.hop.channel_class);
        trip.via = way.via;
        at = n->peer(at, way.hop.port).number;
        if (at == to) return out;
      }
    }
    return out;
  };
  for (const int lane : {0, 1}) {
    CHECK(classes(1, 4, lane) == std::vector<int>(3, lane));
    CHECK(classes(4, 1, lane) == std::vector<int>(3, lane));
    CHECK(classes(6, 1, lane) == std::vector<int>{0, 0, 1});
    CHECK(classes(1, 6, lane) == std::vector<int>{0, 0, 1});
  }
  std::map<std::uint32_t, int> drawn;
  topo::Trip trip = topo::trip_of(0, 3);
  for (std::uint32_t i = 0; i < 1000; ++i) {
    trip.mix = topo::mix_of(3, i);
    ++drawn[(ways(*n, 0, trip, Draws::own).front().via - 1) / 2 % 2];
  }
  CHECK(about(drawn[0], 500));
}

TEST_CASE("the way that a grid prefers is drawn for each packet") {
  const SharedNetwork n = adaptive_grid({4, 4}, true, GridRouting::minimal_adaptive);
  std::map<int, int> first;
  topo::Trip trip = topo::trip_of(0, 5);
  for (std::uint32_t i = 0; i < 1000; ++i) {
    trip.mix = topo::mix_of(3, i);
    ++first[ways(*n, 0, trip, Draws::own).front().hop.port];
  }
  REQUIRE(first.size() == 2);
  for (const auto& [port, count] : first) CHECK(about(count, 500));
}

TEST_CASE("a grid's detours go over any router, by the seed and the packet's own number") {
  const auto turns = [](std::int64_t seed) {
    const SharedNetwork n = grid_network({4, 3}, true, 1, {GridRouting::valiant, {seed, 0}});
    std::vector<std::uint32_t> out;
    topo::Trip trip = topo::trip_of(0, 6);
    for (std::uint32_t i = 0; i < 12000; ++i) {
      trip.mix = topo::mix_of(0, i);
      out.push_back((ways(*n, 0, trip, Draws::own).front().via - 1) / 4);
    }
    return out;
  };
  const std::vector<std::uint32_t> one = turns(1), other = turns(2);
  std::map<std::uint32_t, int> drawn;
  for (const std::uint32_t t : one) ++drawn[t];
  CHECK(drawn.size() == 12);
  for (const auto& [turn, count] : drawn) CHECK(about(count, 1000));
  int alike = 0;
  for (std::size_t i = 0; i < one.size(); ++i) alike += one[i] == other[i] ? 1 : 0;
  CHECK(about(alike, 1000));
}

TEST_CASE("a dragonfly's third group depends on the seed, and its links are drawn apart from it") {
  const auto drawn = [](std::int64_t seed) {
    const SharedNetwork n =
        share(topo::dragonfly_network({1, 3, 2, 4, DragonflyRouting::valiant_by_packet, {seed, 0}, {}, {}}));
    std::vector<std::pair<std::uint32_t, int>> out;  // group and port
    topo::Trip trip = topo::trip_of(0, 11);
    for (std::uint32_t i = 0; i < 4000; ++i) {
      trip.mix = topo::mix_of(0, i);
      const Way way = ways(*n, 0, trip, Draws::own).front();
      out.emplace_back(way.via, way.hop.port);
    }
    return out;
  };
  const auto one = drawn(1), other = drawn(2);
  std::map<std::pair<std::uint32_t, int>, int> counts;
  int alike = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    ++counts[one[i]];
    alike += one[i].first == other[i].first ? 1 : 0;
  }
  CHECK(counts.size() == 4);  // two groups, each by two links
  for (const auto& [way, count] : counts) CHECK(about(count, 1000));
  CHECK(about(alike, 2000));
}

TEST_CASE("what is drawn is among all that can be, and all alike") {
  const SharedNetwork n = adaptive_dragonfly(1, 4, 2, 9, DragonflyRouting::valiant_by_packet);
  topo::Trip trip = topo::trip_of(0, 35);
  const Ways all = ways(*n, 0, trip);
  CHECK(all.size() == 7);
  std::map<std::uint32_t, int> drawn;
  for (std::uint32_t i = 0; i < 7000; ++i) {
    trip.mix = topo::mix_of(0, i);
    const Ways one = ways(*n, 0, trip, Draws::own);
    REQUIRE(one.size() == 1);
    ++drawn[one.front().via];
  }
  CHECK(drawn.size() == 7);
  for (const auto& [via, count] : drawn) {
    CHECK(std::any_of(all.begin(), all.end(), [v = via](const Way& w) { return w.via == v; }));
    CHECK(about(count, 1000));
  }
}

}  // namespace topo_adaptive_draws_test
