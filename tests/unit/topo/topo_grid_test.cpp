// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "support/catch.hpp"
#include "support/topo/machine_text.hpp"
#include "topo/grid.hpp"

namespace topo_grid_test {

using namespace tsunagi;
using namespace tsunagi::test;
using topo::Grid;

namespace {

/// Every wire ends at two different free ports.
void expect_each_port_once(const topo::Graph& g) {
  std::set<std::pair<std::uint32_t, std::string>> seen;
  for (const topo::Link& l : g.links) {
    CHECK(seen.insert({l.a.node, l.a.port}).second);
    CHECK(seen.insert({l.b.node, l.b.port}).second);
  }
}

}  // namespace

TEST_CASE("a grid numbers routers with the first coordinate fastest") {
  const Grid g({4, 3}, true, 2);
  CHECK(g.routers() == 12);
  CHECK(g.terminals() == 24);
  CHECK(g.coordinate(7, 0) == 3);
  CHECK(g.coordinate(7, 1) == 1);
  CHECK(g.router_of(15) == 7);
  CHECK(g.ports() == 6);
  CHECK(g.port_name(0) == "d0+");
  CHECK(g.port_name(3) == "d1-");
  CHECK(g.port_name(g.terminal_port(15)) == "t1");
}

TEST_CASE("neighbours wrap in a torus and end in a mesh") {
  const Grid torus({4, 3}, true, 1);
  CHECK(torus.neighbour(7, Grid::port(0, true)) == 4);
  CHECK(torus.neighbour(7, Grid::port(0, false)) == 6);
  CHECK(torus.neighbour(11, Grid::port(1, true)) == 3);
  const Grid mesh({4, 3}, false, 1);
  CHECK(mesh.neighbour(7, Grid::port(0, true)) == -1);
  CHECK(mesh.neighbour(7, Grid::port(1, true)) == 11);
  CHECK(mesh.neighbour(0, Grid::port(1, false)) == -1);
  CHECK(Grid({1, 3}, true, 1).neighbour(0, Grid::port(0, true)) == -1);
}

TEST_CASE("a ring joins each router to the next and its terminal") {
  const topo::Graph g = built("ring", R"("nodes": 5)");
  CHECK(g.nodes.size() == 10);
  REQUIRE(g.links.size() == 10);
  CHECK(ends_of(g, g.links[0]) == "router0.d0+ router1.d0-");
  CHECK(ends_of(g, g.links[4]) == "router4.d0+ router0.d0-");
  CHECK(ends_of(g, g.links[9]) == "terminal4.net router4.t0");
  expect_each_port_once(g);
}

TEST_CASE("torus, mesh and crossbar have the wires that they should") {
  const topo::Graph torus = built("torus", R"("sizes": [8, 8])");
  CHECK(torus.links.size() == 2 * 64 + 64);
  expect_each_port_once(torus);
  const topo::Graph cube = built("torus", R"("sizes": [2, 3, 1], "terminals": 4)");
  CHECK(cube.links.size() == 6 + 6 + 0 + 24);  // two wires between the routers of a dimension of two
  expect_each_port_once(cube);
  const topo::Graph mesh = built("mesh", R"("sizes": [4, 3])");
  CHECK(mesh.links.size() == 3 * 3 + 4 * 2 + 12);
  expect_each_port_once(mesh);
  const topo::Graph crossbar = built("crossbar", R"("terminals": 16)");
  CHECK(crossbar.nodes.size() == 17);
  CHECK(crossbar.links.size() == 16);
}

TEST_CASE("all routers share one config, so do terminals and wires") {
  const topo::Graph g = built("torus", R"("sizes": [4, 4])");
  for (int r = 0; r < 16; ++r) {
    const auto i = static_cast<std::size_t>(r);
    CHECK(g.nodes[i].config.object() == g.nodes[0].config.object());
    CHECK(g.nodes[i].places.at(0).number == r);
    CHECK(g.nodes[16 + i].config.object() == g.nodes[16].config.object());
    CHECK(g.nodes[16 + i].places.at(0).number == r);
  }
  for (const topo::Link& l : g.links) CHECK(l.wire.object() == g.links[0].wire.object());
  REQUIRE(g.networks.size() == 1);
  REQUIRE(g.networks[0]->grid() != nullptr);
  CHECK(g.networks[0]->grid()->wraps());
}

TEST_CASE("terminals may have wires of their own") {
  const topo::Graph g = built("ring", R"("nodes": 3)", R"(, "terminal_wire": {"kind": "cable", "number": 4})");
  CHECK(g.links[2].wire.as<PartConfig>().number == 3);
  CHECK(g.links[3].wire.as<PartConfig>().number == 4);
}

TEST_CASE("sizes that make no grid are refused") {
  CHECK_THROWS_AS(built("torus", R"("sizes": [])"), config::ConfigError);
  CHECK_THROWS_AS(built("torus", R"("sizes": [4, 0])"), config::ConfigError);
  CHECK_THROWS_AS(built("mesh", R"("sizes": [65536, 65536])"), config::ConfigError);
  CHECK_THROWS_AS(built("ring", R"("nodes": 1)"), config::ConfigError);
}

}  // namespace topo_grid_test
