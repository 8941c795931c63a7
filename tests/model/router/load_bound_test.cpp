// SPDX-License-Identifier: Apache-2.0
// The load that no adaptive routes can carry: of wires from and to terminals, and of what runs of routers let pass.
#include <cstdint>
#include <utility>

#include "support/catch.hpp"
#include "support/child.hpp"
#include "support/grid_bench.hpp"

namespace load_bound_test {

using namespace tsunagi;
using namespace tsunagi::test;
using topo::GridRouting;

namespace {

Network adaptive(Network n, GridRouting routes = GridRouting::minimal_adaptive) {
  n.routes = routes;
  n.router.virtual_channels = n.link.virtual_channels = 6;
  return n;
}

std::string bound(topo::Graph graph, const comm::TrafficShares& shares) {
  return in_child([&] {
    GridBench b(std::move(graph));
    // Packets of 17 flits for 16 of payload: a rate of which no byte a second is whole.
    return std::to_string(b.library().load_bound(shares, 256_B).value());
  });
}
std::string bound(const Network& n, const comm::TrafficShares& shares) { return bound(graph_of(n), shares); }

/// Every rank sends to all others alike.
comm::TrafficShares uniform(int ranks) {
  return {[](int from, int to) { return from == to ? 0 : 1; }, ranks - 1};
}

}  // namespace

TEST_CASE("uniform traffic over adaptive routes is bound by half of a ring") {
  Network n = adaptive(ring(8));
  n.terminals = 2;
  CHECK(bound(n, uniform(16)) == "468750");  // 8 x 8 of 15 parts each over two cables
  CHECK(bound(adaptive(ring(4)), uniform(4)) == "1000000");
  for (const GridRouting routes : {GridRouting::valiant, GridRouting::ugal})
    CHECK(bound(adaptive(ring(16), routes), uniform(16)) == "468750");
}

TEST_CASE("uniform traffic over adaptive routes is bound by half of a grid across its longest dimension") {
  for (const std::vector<std::int64_t>& sizes : {std::vector<std::int64_t>{8, 2}, std::vector<std::int64_t>{2, 8}})
    CHECK(bound(adaptive(mesh(sizes)), uniform(16)) == "468750");  // 8 x 8 of 15 parts each over two cables
}

TEST_CASE("traffic that has one shortest way is not bound by that where routes may be others") {
  const comm::TrafficShares tornado = {[](int from, int to) { return (from + 3) % 8 == to ? 1 : 0; }, 1};
  CHECK(bound(adaptive(ring(8), GridRouting::ugal), tornado) == "666666");  // three leave half a ring by two cables
}

TEST_CASE("traffic that has one minimal way is bound by that where routes are minimal") {
  const comm::TrafficShares tornado = {[](int from, int to) { return (from + 3) % 8 == to ? 1 : 0; }, 1};
  CHECK(bound(adaptive(ring(8)), tornado) == "333333");  // three share each cable up
  const comm::TrafficShares along = {[](int from, int to) { return from / 4 == 1 && to == from + 8 ? 1 : 0; }, 1};
  CHECK(bound(adaptive(mesh({4, 4})), along) == "1000000");
  const comm::TrafficShares to_the_end = {[](int from, int to) { return from < 3 && to == 3 ? 1 : 0; }, 1};
  CHECK(bound(adaptive(mesh({4, 4})), to_the_end) == "333333");
}

TEST_CASE("traffic with many minimal ways is bound by all cables that lead the same way") {
  const auto tornado = [](int sizes) {
    return comm::TrafficShares{[sizes](int from, int to) {
                                 const int hops = (sizes - 1) / 2;
                                 const int x = (from % sizes + hops) % sizes, y = (from / sizes + hops) % sizes;
                                 return y * sizes + x == to ? 1 : 0;
                               },
                               1};
  };
  CHECK(bound(adaptive(torus({8, 8})), tornado(8)) == "333333");
  CHECK(bound(adaptive(torus({5, 5})), tornado(5)) == "500000");
  CHECK(bound(adaptive(torus({8, 8}), GridRouting::ugal), tornado(8)) == "666666");
}

TEST_CASE("traffic to one terminal is bound by its wire, that from one by the sender's") {
  const Network n = adaptive(mesh({4, 4}));
  CHECK(bound(n, {[](int from, int to) { return from != 0 && to == 0 ? 1 : 0; }, 1}) == "66666");
  CHECK(bound(n, {[](int from, int to) { return from == 0 && to != 0 ? 1 : 0; }, 1}) == "66666");
}

TEST_CASE("traffic within a router is bound by the wires of its terminals") {
  Network n = adaptive(ring(3));
  n.terminals = 4;
  CHECK(bound(n, {[](int from, int to) { return from / 4 == to / 4 && to % 4 == 0 && from != to ? 1 : 0; }, 1}) ==
        "333333");
}

TEST_CASE("cuts are as wide as the cables between routers, not as the wires of terminals") {
  const Network n = adaptive(ring(4));
  router::LinkConfig fast = n.link;
  fast.bandwidth = fast.bandwidth.scaled(4, 1);
  topo::NetworkParts parts = parts_of(n);
  parts.terminal_wire = any_of("link", fast);
  // Two cables, each a quarter of a terminal's wire, for 2 x 2 of 3 parts.
  CHECK(bound(topo::build(any_of("torus", topo::GridConfig{n.sizes, 1, {n.routes, {}}, parts})), uniform(4)) ==
        "375000");
}

}  // namespace load_bound_test
