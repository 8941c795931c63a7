// SPDX-License-Identifier: Apache-2.0
#include "draw/draw.hpp"
#include "support/catch.hpp"
#include "unit/pictures/draw_fixture.hpp"

namespace draw_network_test {

using namespace tsunagi;
using namespace tsunagi::draw;
using test::drawn_graph;

namespace {

const std::string group = R"({"kind": "group", "devices": {"a": {"kind": "part"}, "nic": {"kind": "part"}},
  "links": [{"ends": ["a.x", "nic.y"], "wire": {"kind": "link"}}]})";
const std::string parts = R"("router": {"kind": "part"}, "wire": {"kind": "link"})";

void expect_apart(const Picture& p) {
  for (std::size_t i = 0; i < p.boxes.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) CHECK(!overlap(p.boxes[i].at, p.boxes[j].at));
  for (std::size_t i = 0; i < p.frames.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) CHECK(!overlap(p.frames[i].at, p.frames[j].at));
  for (const Line& l : p.lines) CHECK(!l.paths.empty());
}

}  // namespace

TEST_CASE("nodes hang below the router of their terminal in any topology") {
  for (const std::string shape : {R"("kind": "hypercube", "dimensions": 3)", R"("kind": "mesh", "sizes": [2, 2])",
                                  R"("kind": "ring", "nodes": 5)", R"("kind": "crossbar", "terminals": 5)"}) {
    INFO(shape);
    const topo::Graph g =
        drawn_graph("{" + shape + R"(, "node": )" + group + R"(, "attach": "nic.net", )" + parts + "}");
    const Picture p = draw::draw(g, "", {true});
    expect_apart(p);
    const topo::Network& n = *g.networks[0];
    REQUIRE(p.frames.size() == static_cast<std::size_t>(n.terminals()));
    for (int t = 0; t < n.terminals(); ++t) {
      const Rect& router = p.boxes[static_cast<std::size_t>(n.router_of(t))].at;
      CHECK(p.frames[static_cast<std::size_t>(t)].at.y > router.bottom());
    }
  }
}

TEST_CASE("routers of a further network stand below all nodes") {
  const topo::Graph g = drawn_graph(R"({"kind": "networks", "nodes": 4, "node": )" + group + R"(, "networks": {
    "rings": {"kind": "tca", "nodes": 4, "attach": "a", "cable": {"kind": "pcie"}},
    "ib": {"kind": "ring", "nodes": 4, "attach": "nic.net", )" +
                                    parts + "}}}");
  const Picture p = draw::draw(g, "", {true});
  expect_apart(p);
  CHECK(p.frames.size() == 4);
  for (std::size_t i = 8; i < 12; ++i)
    for (const Frame& f : p.frames) CHECK(p.boxes[i].at.y > f.at.bottom());
}

TEST_CASE("routers of several networks are shown by their full names") {
  const auto rails = [](int nodes) {
    const std::string n = std::to_string(nodes);
    const std::string ring = R"({"kind": "ring", "nodes": )" + n + ", " + parts + R"(, "attach": ")";
    return drawn_graph(R"({"kind": "networks", "nodes": )" + n + R"(, "node": )" + group + R"(, "networks": {
      "rail0": )" + ring +
                       R"(a.net"}, "rail1": )" + ring + R"(nic.net"}}})");
  };
  const auto shown = [](const topo::Graph& g, const std::string& name) {
    const Picture p = draw::draw(g, "", {true});
    for (std::size_t n = 0; n < g.nodes.size(); ++n)
      if (g.nodes[n].name == name) return p.boxes[n].lines;
    return std::vector<std::string>{};
  };
  const topo::Graph few = rails(3);
  CHECK(shown(few, "rail0.router1") == std::vector<std::string>{"rail0.router1", "part"});
  CHECK(shown(few, "rail1.router1").at(0) == "rail1.router1");
  CHECK(shown(few, "node1.nic").at(0) == "nic");
  const topo::Graph many = rails(40);  // with room for short names only
  CHECK(shown(many, "rail0.router39") == std::vector<std::string>{"r39", "rail0"});
  CHECK(shown(many, "rail1.router39") == std::vector<std::string>{"r39", "rail1"});
}

}  // namespace draw_network_test
