// SPDX-License-Identifier: Apache-2.0
#include "support/catch.hpp"
#include "topo/graphs/groups.hpp"

using namespace tsunagi;

namespace {

topo::Graph graph(const std::vector<std::string>& names) {
  topo::Graph g;
  for (const std::string& name : names) g.nodes.push_back({name, {}, ""});
  return g;
}

topo::Link link(std::uint32_t a, const char* port_a, std::uint32_t b, const char* port_b) {
  return {{{}, ""}, {a, port_a}, {b, port_b}};
}

}  // namespace

TEST_CASE("devices lie in groups by the dots of their names, wherever the graph lists them") {
  const topo::Graph g = graph({"node0.cpu0.core", "switch", "node1.cpu0.core", "node0.memory", "node0.cpu1.core"});
  const topo::Group all = topo::group_of(g);
  CHECK(all.nodes == std::vector<std::uint32_t>{1});
  REQUIRE(all.groups.size() == 2);
  CHECK(all.groups[0].name == "node0");
  CHECK(all.groups[0].nodes == std::vector<std::uint32_t>{3});
  REQUIRE(all.groups[0].groups.size() == 2);
  CHECK(all.groups[0].groups[0].name == "cpu0");
  CHECK(all.groups[0].groups[0].nodes == std::vector<std::uint32_t>{0});
  CHECK(all.groups[0].groups[1].name == "cpu1");
  CHECK(all.groups[0].groups[1].nodes == std::vector<std::uint32_t>{4});
  REQUIRE(all.groups[1].groups.size() == 1);
  CHECK(all.groups[1].groups[0].nodes == std::vector<std::uint32_t>{2});
}

TEST_CASE("a link lies in the innermost group of both its ends") {
  topo::Graph g = graph({"n.a.x", "n.a.y", "n.ab.x", "m.x", "n.z"});
  g.links = {link(0, "p", 1, "q"), link(0, "r", 2, "q"), link(3, "p", 4, "q"), link(4, "p", 1, "r")};
  const topo::Group all = topo::group_of(g);
  CHECK(all.links == std::vector<std::uint32_t>{2});
  CHECK(all.groups[0].links == std::vector<std::uint32_t>{1, 3});  // "a" is no part of "ab"
  CHECK(all.groups[0].groups[0].links == std::vector<std::uint32_t>{0});
  CHECK(topo::link_name(g, g.links[0]) == "x_p__y_q");
  CHECK(topo::link_name(g, g.links[1]) == "a_x_r__ab_x_q");
  CHECK(topo::link_name(g, g.links[2]) == "m_x_p__n_z_q");
  CHECK(topo::link_name(g, g.links[3]) == "z_p__a_y_r");
}
