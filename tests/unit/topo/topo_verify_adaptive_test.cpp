// SPDX-License-Identifier: Apache-2.0
// Routes that choose: that all they permit arrives and cannot deadlock, and that it is found where it does not or can.
#include <algorithm>
#include <functional>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "stats/random.hpp"
#include "support/catch.hpp"
#include "support/topo/adaptive_networks.hpp"
#include "topo/grid.hpp"
#include "topo/routes/verify.hpp"

namespace topo_verify_adaptive_test {

using namespace tsunagi;
using namespace tsunagi::test;
using topo::AdaptiveRoutes;
using topo::DragonflyRouting;
using topo::GridRouting;
using topo::Way;
using topo::Ways;

namespace {

/// Routes with all they say but the classes of virtual channels.
class WithoutClasses final : public AdaptiveRoutes {
 public:
  explicit WithoutClasses(const SharedNetwork& n) : network_(n), routes_(*n->routes().adaptive()) {}
  void ways(int router, const topo::Trip& trip, Draws draws, Ways& out) const override {
    routes_.ways(router, trip, draws, out);
    for (Way& w : out) w.hop.channel_class = topo::Hop::any_class;
  }

 private:
  SharedNetwork network_;
  const AdaptiveRoutes& routes_;
};

topo::Verdict without_classes(const SharedNetwork& n) {
  topo::Network bare = *n;
  bare.set_routes(std::make_shared<const WithoutClasses>(n));
  return topo::verify(bare);
}

/// Three routers in a ring, to each neighbour over the one cable, or, in second place and not from router `without`,
/// the other way up round the ring.
class Triangle final : public AdaptiveRoutes {
 public:
  explicit Triangle(int without) : without_(without) {}
  void ways(int router, const topo::Trip& trip, Draws /*draws*/, Ways& out) const override {
    const auto to = static_cast<int>(trip.destination);
    if (router == to) return out.push_back({{2}});
    const bool next = (router + 1) % 3 == to;
    if (!next && trip.via == 0) out.push_back({{topo::Grid::port(0, false)}, 0, 2, 0});
    if (next || (router != without_ && trip.via == 0)) out.push_back({{topo::Grid::port(0, true)}, 1, next ? 2 : 3, 0});
  }

 private:
  int without_;
};

/// The routes of another network, but what `change` does to the ways of one router.
class Changed final : public AdaptiveRoutes {
 public:
  Changed(const SharedNetwork& n, int router, std::function<void(const topo::Trip&, Ways&)> change)
      : network_(n), router_(router), change_(std::move(change)) {}
  void ways(int router, const topo::Trip& trip, Draws draws, Ways& out) const override {
    network_->routes().adaptive()->ways(router, trip, draws, out);
    if (router == router_) change_(trip, out);
  }
  int classes() const override { return network_->routes().classes(); }

 private:
  SharedNetwork network_;
  int router_;
  std::function<void(const topo::Trip&, Ways&)> change_;
};

topo::Verdict changed(const SharedNetwork& n, int router, std::function<void(const topo::Trip&, Ways&)> change) {
  topo::Network other = *n;
  other.set_routes(std::make_shared<const Changed>(n, router, std::move(change)));
  return topo::verify(other);
}

}  // namespace

TEST_CASE("all that adaptive routes of grids permit arrives and cannot deadlock") {
  stats::RandomStream random(1, "adaptive grids");
  for (int i = 0; i < 60; ++i) {
    const auto dimensions = 1 + random.below(3);
    std::vector<int> sizes;
    for (int d = 0; d < dimensions; ++d)
      sizes.push_back(static_cast<int>(1 + random.below(dimensions == 1 ? 9 : dimensions == 2 ? 5 : 3)));
    const bool wrap = random.below(3) > 0;
    const auto routing = static_cast<GridRouting>(1 + random.below(3));
    CAPTURE(sizes, wrap, static_cast<int>(routing));
    const topo::Verdict v = topo::verify(*adaptive_grid(sizes, wrap, routing, static_cast<int>(1 + random.below(2))));
    REQUIRE(!v.lost);
    REQUIRE(v.circle.empty());
  }
}

TEST_CASE("adaptive routes of tori whose rings are long enough for circles cannot deadlock") {
  // In rings of four and less no packet that goes a shortest way waits for the second cable of another.
  for (const auto& [sizes, routing] :
       std::vector<std::pair<std::vector<int>, GridRouting>>{{{5, 5}, GridRouting::minimal_adaptive},
                                                             {{6, 5}, GridRouting::minimal_adaptive},
                                                             {{3, 5, 5}, GridRouting::minimal_adaptive},
                                                             {{5, 5, 3}, GridRouting::minimal_adaptive},
                                                             {{5, 5}, GridRouting::ugal},
                                                             {{7}, GridRouting::valiant}}) {
    CAPTURE(sizes, static_cast<int>(routing));
    const SharedNetwork n = adaptive_grid(sizes, true, routing);
    CHECK(!without_classes(n).circle.empty());
    const topo::Verdict v = topo::verify(*n);
    CHECK(!v.lost);
    CHECK(v.circle.empty());
  }
}

TEST_CASE("all that adaptive routes of dragonflies permit arrives and cannot deadlock") {
  for (const DragonflyRouting routing : {DragonflyRouting::valiant_by_packet, DragonflyRouting::ugal})
    for (const auto& [routers, links, groups] : std::vector<std::tuple<int, int, int>>{
             {4, 2, 9}, {4, 2, 3}, {3, 1, 4}, {2, 3, 4}, {1, 3, 4}, {1, 1, 2}, {3, 0, 1}}) {
      CAPTURE(static_cast<int>(routing), routers, links, groups);
      const topo::Verdict v = topo::verify(*adaptive_dragonfly(1, routers, links, groups, routing));
      CHECK(!v.lost);
      CHECK(v.circle.empty());
    }
}

TEST_CASE("all ports up of a fat-tree lead to where the destination is below, and none can deadlock") {
  for (const auto& [radix, levels] : std::vector<std::pair<int, int>>{{2, 3}, {4, 1}, {4, 3}, {8, 2}}) {
    const SharedNetwork n = adaptive_fat_tree(radix, levels);
    const topo::Verdict v = topo::verify(*n);
    CHECK(!v.lost);
    CHECK(v.circle.empty());
    CHECK(n->routes().classes() == 1);
  }
  CHECK(topo::verify(*adaptive_fat_tree(9 - 1, 2, {3})).circle.empty());
}

TEST_CASE("without their classes adaptive routes can deadlock, and the check finds the circle") {
  CHECK(!without_classes(adaptive_grid({3, 3}, false, GridRouting::minimal_adaptive)).circle.empty());
  CHECK(!without_classes(adaptive_grid({4, 4}, true, GridRouting::minimal_adaptive)).circle.empty());
  CHECK(!without_classes(adaptive_grid({3, 3}, false, GridRouting::valiant)).circle.empty());
  CHECK(!without_classes(adaptive_grid({4}, true, GridRouting::ugal)).circle.empty());
  CHECK(!without_classes(adaptive_dragonfly(1, 4, 2, 9, DragonflyRouting::ugal)).circle.empty());
  CHECK(without_classes(adaptive_grid({4}, false, GridRouting::minimal_adaptive)).circle.empty());
}

TEST_CASE("a circle that closes only over detours that nobody takes first is found") {
  const SharedNetwork ring = grid_network({3}, true);
  const auto circle = [&ring](int without) {
    topo::Network n = *ring;
    n.set_routes(std::make_shared<const Triangle>(without));
    CHECK(n.routes().next(0, topo::trip_of(0, 2)).port == topo::Grid::port(0, false));
    const topo::Verdict v = topo::verify(n);
    CHECK(!v.lost);
    return v.circle;
  };
  const std::vector<topo::RouterPort> found = circle(-1);
  REQUIRE(found.size() == 3);
  for (const topo::RouterPort& p : found) CHECK(p.port == topo::Grid::port(0, true));
  for (int r = 0; r < 3; ++r) CHECK(circle(r).empty());
}

TEST_CASE("a way that leads nowhere, to another terminal or round and round is found among those that arrive") {
  const SharedNetwork n = adaptive_grid({3, 3}, false, GridRouting::minimal_adaptive);
  const auto also = [](int port) {
    return [port](const topo::Trip& trip, Ways& out) {
      if (trip.source == 0 && trip.destination == 8) out.push_back({{port}});
    };
  };
  const topo::Verdict nowhere = changed(n, 2, also(topo::Grid::port(0, true)));
  REQUIRE(nowhere.lost);
  CHECK(nowhere.lost->way == std::vector<int>{0, 1, 2});
  CHECK(nowhere.lost->port == topo::Grid::port(0, true));
  const topo::Verdict other = changed(n, 4, also(4));
  REQUIRE(other.lost);
  CHECK(other.lost->way.back() == 4);
  const topo::Verdict back = changed(n, 4, also(topo::Grid::port(0, false)));
  REQUIRE(back.lost);
  CHECK(back.lost->circle);
  // Its way goes on until a cable comes again.
  const std::vector<int>& way = back.lost->way;
  REQUIRE(way.size() > 2);
  CHECK(std::search(way.begin(), way.end() - 1, way.end() - 2, way.end()) != way.end() - 1);
  const topo::Verdict none = changed(n, 4, [](const topo::Trip&, Ways& out) { out.clear(); });
  REQUIRE(none.lost);
  CHECK(none.lost->port == -1);
}

}  // namespace topo_verify_adaptive_test
