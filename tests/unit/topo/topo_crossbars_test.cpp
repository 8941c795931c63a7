// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "stats/random.hpp"
#include "support/catch.hpp"
#include "support/topo/machine_text.hpp"
#include "support/topo/networks.hpp"
#include "topo/crossbars.hpp"
#include "topo/crossbars_shape.hpp"
#include "topo/routes/loads.hpp"

namespace topo_crossbars_test {

using namespace tsunagi;
using namespace tsunagi::test;
using topo::Network;
using Sizes = std::vector<std::int64_t>;

namespace {

Network crossbars(const Sizes& sizes) { return topo::crossbars_network({sizes, {}, {}}); }

/// Names of the routers on a way.
std::string way(const Network& n, int from, int to) {
  std::string out;
  n.walk(from, to, [&](int at, topo::Hop hop) { out += n.router_name(at) + "." + n.port_name(at, hop.port) + " "; });
  return out;
}

}  // namespace

TEST_CASE("the nodes of crossbars lie in a box of their sizes, the first dimension running fastest") {
  CHECK(crossbars({8}).box() == Sizes{8});
  CHECK(crossbars({4, 2, 3}).box() == Sizes{4, 2, 3});
}

TEST_CASE("crossbars in one to three dimensions have the switches and wires of the closed forms") {
  const Network line = crossbars({8});
  CHECK(line.routers() == 1);
  CHECK(line.terminals() == 8);
  CHECK(line.cables().empty());
  const Network plane = crossbars({8, 2});
  CHECK(plane.terminals() == 16);
  CHECK(plane.routers() == 16 + 2 + 8);
  CHECK(plane.cables().size() == 16 * 2);
  const Network box = crossbars({8, 8, 8});
  CHECK(box.terminals() == 512);
  CHECK(box.routers() == 512 + 3 * 64);
  CHECK(box.cables().size() == 512 * 3);
  CHECK(box.router_name(511) == "relay511");
  CHECK(box.ports(511) == 4);
  CHECK(box.router_name(512) == "x0");
  CHECK(box.router_name(512 + 64) == "y0");
  CHECK(box.router_name(512 + 128) == "z0");
  CHECK(box.ports(512) == 8);
}

TEST_CASE("the shape of crossbars says which router is what") {
  CHECK(topo::crossbars_shape(topo::crossbar_network({4, {}})) == nullptr);
  for (const Sizes& sizes : {Sizes{8}, Sizes{8, 2}, Sizes{1, 5}, Sizes{1, 3, 4}, Sizes{4, 3, 2}, Sizes{1}}) {
    CAPTURE(sizes);
    const Network n = crossbars(sizes);
    const topo::CrossbarsShape* shape = topo::crossbars_shape(n);
    REQUIRE(shape != nullptr);
    REQUIRE(shape->nodes() == n.terminals());
    for (const int d : shape->crossed())
      for (int line = 0; line < shape->lines(d); ++line) {
        const int crossbar = shape->first_crossbar(d) + line;
        REQUIRE(n.router_name(crossbar) == "xyz"[d] + std::to_string(line));
        REQUIRE(n.ports(crossbar) == shape->size(d));
        for (int at = 0; at < shape->size(d); ++at) {
          const int node = shape->node(d, line, at);
          REQUIRE(shape->line(node, d) == line);
          REQUIRE(shape->coordinate(node, d) == at);
          REQUIRE(n.peer(crossbar, at).number == node);
        }
      }
  }
}

TEST_CASE("a packet leaves a relay for the crossbar along x and then along y and z") {
  const Network n = crossbars({4, 3, 2});
  CHECK(way(n, 1, 1) == "relay1.n ");
  CHECK(way(n, 0, 3) == "relay0.x x0.p3 relay3.n ");
  // (1, 2, 0) to (3, 0, 1): row y 2 of plane 0; column x 3 of plane 0; x 3, y 0.
  CHECK(way(n, 9, 15) == "relay9.x x2.p3 relay11.y y3.p0 relay3.z z3.p1 relay15.n ");
  // (1, 2, 1) to (1, 0, 1): column x 1 of plane 1.
  CHECK(way(n, 21, 13) == "relay21.y y5.p0 relay13.n ");
  CHECK(way(crossbars({8}), 2, 7) == "x0.p7 ");
}

TEST_CASE("every route over crossbars is minimal and none can deadlock with one virtual channel") {
  stats::RandomStream random(1, "crossbars");
  for (int i = 0; i < 40; ++i) {
    Sizes sizes;
    for (std::int64_t d = 1 + random.below(3); d > 0; --d) sizes.push_back(1 + random.below(5));
    CAPTURE(sizes);
    const SharedNetwork n = share(crossbars(sizes));
    REQUIRE(n->spots().size() == static_cast<std::size_t>(n->routers()));
    REQUIRE(least_distance(n->spots()) > 0.999);
    REQUIRE(all_minimal(*n));
    REQUIRE(!can_deadlock(n, 1));
  }
}

TEST_CASE("wires on the way are two and two more for each dimension in which nodes differ") {
  const Network n = crossbars({3, 4, 2});
  for (int from = 0; from < 24; ++from)
    for (int to = 0; to < 24; ++to) {
      const int differ = (from % 3 != to % 3) + (from / 3 % 4 != to / 3 % 4) + (from / 12 != to / 12);
      REQUIRE(wires_between(n, from, to) == 2 + 2 * differ);
    }
}

TEST_CASE("dimensions of one node have no crossbars and a single line has no relays") {
  CHECK(crossbars({1, 8}).routers() == 1);
  CHECK(crossbars({1, 8}).router_name(0) == "y0");
  CHECK(crossbars({1, 1, 1}).routers() == 1);
  CHECK(crossbars({4, 1, 3}).routers() == 12 + 3 + 4);
  CHECK(crossbars({4, 1, 3}).peer(0, 1).kind == Network::Peer::Kind::nothing);
}

TEST_CASE("uniform traffic loads all wires of a dimension of crossbars alike") {
  const Network n = crossbars({4, 4, 4});
  const topo::Loads loads(n, [](int from, int to) { return from == to ? 0 : 1; });
  for (int r = 0; r < n.routers(); ++r)  // to 48 of 64 nodes in another place of each line
    for (int p = 0; p < n.ports(r); ++p) CHECK(loads.of(r, p) == (n.port_name(r, p) == "n" ? 63 : 48));
}

TEST_CASE("relays may be other devices than crossbars") {
  const topo::Graph g = built("crossbars", R"("sizes": [2, 2], "relay": {"kind": "part", "number": 7})");
  CHECK(g.nodes[0].config.as<PartConfig>().number == 7);
  CHECK(g.nodes[0].pointer == "/machine/topology/relay");
  CHECK(g.nodes[4].config.as<PartConfig>().number == 1);
  CHECK(g.links.size() == 8 + 4);
}

TEST_CASE("boxes of nodes that cannot be are refused with the reason") {
  const auto why = [](const std::string& fields) { return refusal("crossbars", fields); };
  using Catch::Matchers::Contains;
  CHECK_THAT(why(R"("sizes": [])"), Contains("one to three dimensions"));
  CHECK_THAT(why(R"("sizes": [2, 2, 2, 2])"), Contains("one to three dimensions"));
  CHECK_THAT(why(R"("sizes": [8, 0])"), Contains("/topology/sizes/1"));
  CHECK_THAT(why(R"("sizes": [4096, 4096])"), Contains("at most 30000 terminals"));
}

}  // namespace topo_crossbars_test
