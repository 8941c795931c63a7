// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <memory>

#include "support/catch.hpp"
#include "support/topo/graphs.hpp"
#include "support/topo/networks.hpp"
#include "topo/routes/computed_routes.hpp"
#include "topo/routes/verify.hpp"

namespace topo_verify_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

/// Three routers in a line with a terminal at each: ports p0, p1 and t0 in the middle.
const Shape line_of_3{3, {{0, 1}, {1, 2}}, {1, 1, 1}};
const std::vector<std::string> names{"a", "b", "c", "d", "e", "f"};

/// What is said of a network whose shortest routes `change` has spoiled.
std::string lost(const Shape& shape, const std::function<void(topo::RouteTable&)>& change) {
  topo::Network net = graph_network(shape);
  auto table = std::make_shared<topo::RouteTable>(topo::shortest_routes(net));
  change(*table);
  net.set_routes(table);
  const topo::Verdict verdict = topo::verify(net);
  return verdict.lost ? topo::lost_text(net, *verdict.lost, names) : "all arrive";
}

/// Routes that go the wrong way for one pair only, which no table of destinations can say.
class OddPair final : public topo::Routes {
 public:
  explicit OddPair(topo::RouteTable table) : table_(std::move(table)) {}
  topo::Hop next(int router, const topo::Trip& trip) const override {
    return trip.source == 2 && trip.destination == 0 && router == 1 ? topo::Hop{1} : table_.next(router, trip);
  }

 private:
  topo::RouteTable table_;
};

/// All the same way round three routers, every hop in class 1 of two, but that of packets from `source` out of
/// `router`.
class OddClass final : public topo::Routes {
 public:
  OddClass(std::uint32_t source, int router, int channel_class)
      : source_(source), router_(router), class_(channel_class) {}
  topo::Hop next(int router, const topo::Trip& trip) const override {
    if (router == static_cast<int>(trip.destination)) return {2};
    return {router == 0 ? 0 : 1, trip.source == source_ && router == router_ ? class_ : 1};
  }
  int classes() const override { return 2; }

 private:
  std::uint32_t source_;
  int router_;
  int class_;
};

}  // namespace

TEST_CASE("routes that all arrive are good") {
  CHECK(lost(line_of_3, [](topo::RouteTable&) {}) == "all arrive");
}

TEST_CASE("a hole is told with both ends and the way to it") {
  CHECK(lost(line_of_3, [](topo::RouteTable& t) { t = topo::RouteTable(3, 3); }) ==
        "packets from b to a get no further than router1, which has no route to there");
  CHECK(lost(line_of_3, [](topo::RouteTable& t) { t.set(1, 2, topo::RouteTable::most_ports); }) ==
        "packets from a to c get no further than router1, which has no route to there; their way: router0, router1");
}

TEST_CASE("a hole where no packets come by is none") {
  const Shape no_terminals{3, {{0, 1}, {1, 2}}, {1, 1, 0}};
  CHECK(lost(no_terminals, [](topo::RouteTable& t) { t.set(2, 0, topo::RouteTable::most_ports); }) == "all arrive");
}

TEST_CASE("a circle is told with both ends and its routers") {
  CHECK(lost(line_of_3, [](topo::RouteTable& t) { t.set(1, 2, 0); }) ==
        "packets from a to c go round in a circle: router0, router1, router0");
}

TEST_CASE("a route to another terminal or to nothing is told") {
  CHECK(lost(line_of_3, [](topo::RouteTable& t) { t.set(1, 2, 2); }) ==
        "packets from a to c leave router1 by t0, which leads to b; their way: router0, router1");
  const Shape two_at_one{2, {{0, 1}}, {1, 2}};
  CHECK(lost(two_at_one, [](topo::RouteTable& t) { t.set(1, 1, 2); }) ==
        "packets from a to b leave router1 by t1, which leads to c; their way: router0, router1");
}

TEST_CASE("what only neighbours at the same router would do is found") {
  // nobody comes from elsewhere: the terminals of one router send to each other alone
  const Shape one_router{1, {}, {2}};
  CHECK(lost(one_router, [](topo::RouteTable& t) { t.set(0, 1, 0); }) ==
        "packets from a to b leave router0 by t0, which leads to a");
  CHECK(lost(one_router, [](topo::RouteTable& t) { t.set(0, 0, 1); }) ==
        "packets from b to a leave router0 by t1, which leads to b");
}

TEST_CASE("routes that depend on the source are walked for all pairs") {
  topo::Network net = graph_network(line_of_3);
  net.set_routes(std::make_shared<OddPair>(topo::shortest_routes(net)));
  const topo::Verdict verdict = topo::verify(net);
  REQUIRE(verdict.lost);
  CHECK(verdict.lost->source == 2);
  CHECK(verdict.lost->destination == 0);
  CHECK(verdict.lost->circle);
  CHECK(topo::lost_text(net, *verdict.lost, names).find("…, router1, router2") != std::string::npos);
}

TEST_CASE("datelines keep grids from deadlock, as classes are told apart") {
  CHECK(topo::verify(*grid_network({8}, true, 2)).circle.empty());
  CHECK(topo::verify(*grid_network({5, 4}, true)).circle.empty());
  CHECK(topo::verify(*grid_network({4, 3}, false)).circle.empty());
}

TEST_CASE("a hop in any class holds and waits for all of them") {
  topo::Network net = graph_network({3, {{0, 1}, {1, 2}, {2, 0}}, {1, 1, 1}});
  const auto circle = [&](std::uint32_t source, int router, int channel_class) {
    net.set_routes(std::make_shared<OddClass>(source, router, channel_class));
    const topo::Verdict verdict = topo::verify(net);
    CHECK_FALSE(verdict.lost);
    return verdict.circle.size();
  };
  // each waits for the next in class 1: two to zero in routers 2 and 0, zero to one in 0 and 1, one to two in 1 and 2
  CHECK(circle(2, 2, 1) == 3);
  CHECK(circle(2, 2, 0) == 0);  // held in class 0, where nobody waits
  CHECK(circle(2, 2, topo::Hop::any_class) == 3);
  CHECK(circle(1, 2, 0) == 0);  // wanted in class 0, where nobody holds on
  CHECK(circle(1, 2, topo::Hop::any_class) == 3);
}

TEST_CASE("a circle of links is told by their names") {
  topo::Network net = graph_network({3, {{0, 1}, {1, 2}, {2, 0}}, {1, 1, 1}});
  auto table = std::make_shared<topo::RouteTable>(3, 3);
  for (int r = 0; r < 3; ++r)
    for (int t = 0; t < 3; ++t) table->set(r, t, r == t ? 2 : r == 0 ? 0 : 1);  // all the same way round
  net.set_routes(table);
  const topo::Verdict verdict = topo::verify(net);
  CHECK_FALSE(verdict.lost);
  CHECK(topo::circle_text(net, verdict.circle) ==
        "router0.p0 to router1, router1.p1 to router2, router2.p1 to router0");
}

TEST_CASE("of a long circle the beginning is told") {
  Shape ring{20, {}, {}};
  for (int r = 0; r < 20; ++r) {
    ring.edges.emplace_back(r, (r + 1) % 20);
    ring.terminals.push_back(1);
  }
  topo::Network net = graph_network(ring);
  net.set_routes(std::make_shared<topo::RouteTable>(topo::shortest_routes(net)));
  CHECK(topo::circle_text(net, topo::verify(net).circle).find(", and 8 more") != std::string::npos);
}

}  // namespace topo_verify_test
