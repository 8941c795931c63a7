// SPDX-License-Identifier: Apache-2.0
#include "draw/draw.hpp"
#include "draw/groups.hpp"
#include "draw/looks.hpp"
#include "support/catch.hpp"
#include "unit/pictures/draw_fixture.hpp"

namespace draw_layout_test {

using namespace tsunagi;
using namespace tsunagi::test;
using draw::Shape;

namespace {

struct Machine {
  std::string name;
  topo::Graph graph;
};

std::vector<Machine> machines() {
  return {{"pair", chain(2, false)},
          {"line", chain(5, false)},
          {"small ring of groups", chain(3, true)},
          {"ring of groups", chain(16, true)},
          {"two rings of three", two_rings(3)},
          {"two rings of eight", two_rings(8)},
          {"star", star(6)},
          {"tree", tree(4, 1)},
          {"fat tree", tree(4, 2)},
          {"tree of devices", plain_tree(4, 1, 2)},
          {"fat tree of devices", plain_tree(4, 2, 3)},
          {"no links", clustered(3, 2, {})},
          {"ring", regular("ring", "\"nodes\": 16")},
          {"ring of two", regular("ring", "\"nodes\": 2")},
          {"terminals at a ring", regular("ring", "\"nodes\": 4, \"terminals\": 5")},
          {"large ring", regular("ring", "\"nodes\": 64")},
          {"torus", regular("torus", "\"sizes\": [4, 4]")},
          {"torus of two", regular("torus", "\"sizes\": [2, 2], \"terminals\": 3")},
          {"large torus", regular("torus", "\"sizes\": [8, 8]")},
          {"huge torus", regular("torus", "\"sizes\": [32, 16]")},
          {"mesh in a line", regular("mesh", "\"sizes\": [6]")},
          {"mesh", regular("mesh", "\"sizes\": [3, 5]")},
          {"torus of three dimensions", regular("torus", "\"sizes\": [4, 3, 4]")},
          {"mesh of five dimensions", regular("mesh", "\"sizes\": [2, 3, 2, 2, 2]")},
          {"one router", regular("mesh", "\"sizes\": [1]")},
          {"small crossbar", regular("crossbar", "\"terminals\": 3")},
          {"crossbar", regular("crossbar", "\"terminals\": 16")},
          {"large crossbar", regular("crossbar", "\"terminals\": 65")}};
}

/// With all that can be shown, of every node.
draw::Picture drawn(const topo::Graph& graph, const std::string& title = "") {
  return draw::draw(graph, title, {true, true, true, true});
}

bool lies_in(const draw::Rect& r, draw::Size size) {
  return r.x >= 0 && r.y >= 0 && r.right() <= size.width && r.bottom() <= size.height;
}

Shape shape_of(const topo::Graph& graph) { return draw::arrange(draw::groups_of(graph)).shape; }

}  // namespace

TEST_CASE("draw: no two boxes overlap, and all lie in the picture") {
  for (const Machine& m : machines()) {
    CAPTURE(m.name);
    const draw::Picture p = drawn(m.graph, m.name);
    REQUIRE(p.boxes.size() == m.graph.nodes.size());
    int bad = 0;
    for (std::size_t i = 0; i < p.boxes.size(); ++i) {
      if (!lies_in(p.boxes[i].at, p.size)) ++bad;
      for (std::size_t k = 0; k < i; ++k)
        if (draw::overlap(p.boxes[i].at, p.boxes[k].at)) ++bad;
    }
    CHECK(bad == 0);
  }
}

TEST_CASE("draw: every link is drawn from one of its devices to the other, or as a stub at each") {
  for (const Machine& m : machines()) {
    CAPTURE(m.name);
    const draw::Picture p = drawn(m.graph, m.name);
    REQUIRE(p.lines.size() == m.graph.links.size());
    int bad = 0;
    for (std::size_t l = 0; l < p.lines.size(); ++l) {
      const auto& paths = p.lines[l].paths;
      const draw::Rect a = draw::grown(p.boxes[m.graph.links[l].a.node].at, 0.01);
      const draw::Rect b = draw::grown(p.boxes[m.graph.links[l].b.node].at, 0.01);
      const bool whole = paths.size() == 1 && a.has(paths[0].front()) && b.has(paths[0].back());
      const bool stubs = paths.size() == 2 && a.has(paths[0].front()) && b.has(paths[1].front());
      if (!whole && !stubs) ++bad;
    }
    CHECK(bad == 0);
  }
}

TEST_CASE("draw: labels lie on no box and on no other label") {
  for (const Machine& m : machines()) {
    CAPTURE(m.name);
    const draw::Picture p = drawn(m.graph, m.name);
    int bad = 0;
    for (std::size_t i = 0; i < p.labels.size(); ++i) {
      for (const draw::Box& box : p.boxes) bad += draw::overlap(p.labels[i].at, box.at) ? 1 : 0;
      for (std::size_t k = 0; k < i; ++k) bad += draw::overlap(p.labels[i].at, p.labels[k].at) ? 1 : 0;
      bad += lies_in(p.labels[i].at, p.size) ? 0 : 1;
    }
    CHECK(bad == 0);
  }
}

TEST_CASE("draw: every link of a ring, a crossbar, a pair of nodes has its label") {
  for (const auto& graph :
       {regular("ring", "\"nodes\": 16"), regular("crossbar", "\"terminals\": 16"), chain(2, false)}) {
    const draw::Picture p = draw::draw(graph, "", {true, false, true});
    CHECK(p.labels.size() == graph.links.size());
  }
}

TEST_CASE("draw: devices of a group lie in its frame, those of other groups do not") {
  const topo::Graph graph = tree(4, 2);
  const draw::Picture p = drawn(graph);
  REQUIRE(p.frames.size() == 8);
  for (const draw::Frame& frame : p.frames)
    for (std::size_t n = 0; n < p.boxes.size(); ++n) {
      const bool member = draw::group_of(graph.nodes[n].name) == frame.title;
      CHECK(frame.at.has(p.boxes[n].at.centre()) == member);
      CHECK(draw::overlap(frame.at, p.boxes[n].at) == member);
    }
}

TEST_CASE("draw: routers of a ring are equally far from its middle, neighbours equally far from each other") {
  const draw::Picture p = draw::draw(regular("ring", "\"nodes\": 6"), "");
  const auto at = [&](std::size_t i) { return p.boxes[i % 6].at.centre(); };
  const double side = draw::length(at(1) - at(0));
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(draw::length(at(i + 1) - at(i)) == Approx(side));
    CHECK(draw::length(at(i + 3) - at(i)) == Approx(2 * side));  // a hexagon
  }
}

TEST_CASE("draw: the shape of the links between groups is recognised") {
  CHECK(shape_of(chain(2, false)) == Shape::line);
  CHECK(shape_of(chain(5, false)) == Shape::line);
  CHECK(shape_of(chain(5, true)) == Shape::circle);
  CHECK(shape_of(two_rings(3)) == Shape::rings);
  CHECK(shape_of(two_rings(8)) == Shape::rings);
  CHECK(shape_of(star(6)) == Shape::star);
  CHECK(shape_of(tree(4, 1)) == Shape::layers);
  CHECK(shape_of(tree(4, 2)) == Shape::layers);
  CHECK(shape_of(clustered(3, 0, {})) == Shape::circle);
}

TEST_CASE("draw: two joined rings are two rows, face to face, each closed between them") {
  const int length = 4;
  const topo::Graph graph = two_rings(length);
  const draw::Picture p = drawn(graph);
  const auto chip_of = [&](int node) {
    for (std::size_t n = 0; n < graph.nodes.size(); ++n)
      if (graph.nodes[n].name == chip(node)) return p.boxes[n].at;
    throw std::logic_error("no chip");
  };
  for (int n = 0; n < length; ++n) {
    CHECK(chip_of(n).y == Approx(chip_of(0).y));
    CHECK(chip_of(n + length).y == Approx(chip_of(length).y));
    CHECK(chip_of(n).centre().x == Approx(chip_of(n + length).centre().x));
    if (n > 0) CHECK(chip_of(n).x > chip_of(n - 1).right());
  }
  const double upper = p.frames[0].at.bottom();
  const double lower = p.frames[length].at.y;
  REQUIRE(upper < lower);
  int between_rows = 0;
  for (const draw::Line& line : p.lines) {
    const double y = draw::along(line.paths[0], 0.5).y;
    between_rows += y > upper && y < lower ? 1 : 0;
  }
  CHECK(between_rows == length + 2);
  int cables = 0;
  for (const draw::Label& label : draw::draw(two_rings(20), "", {false, false, true}).labels)
    cables += !label.framed && label.lines == std::vector<std::string>{"PCIe", "Gen2 x8"} ? 1 : 0;
  CHECK(cables == 3 * 20);
}

TEST_CASE(
    "draw: inside a group, devices lie behind the device that they hang on, and no link runs over another device") {
  // two sockets: chip - rc - (core, memory, rc1 - (core1, memory1))
  const topo::Graph graph = drawn_graph(R"({"kind": "explicit", "devices": {
    "a": {"kind": "group", "devices": {"chip": {"kind": "part"}, "rc": {"kind": "part"}, "core": {"kind": "part"},
      "memory": {"kind": "part"}, "rc1": {"kind": "part"}, "core1": {"kind": "part"}, "memory1": {"kind": "part"}},
      "links": [{"ends": ["chip.n", "rc.s"], "wire": {"kind": "pcie"}}, {"ends": ["rc.c", "core.b"], "wire": {"kind": "link"}},
        {"ends": ["rc.m", "memory.b"], "wire": {"kind": "link"}}, {"ends": ["rc.q", "rc1.q"], "wire": {"kind": "link"}},
        {"ends": ["rc1.c", "core1.b"], "wire": {"kind": "link"}},
        {"ends": ["rc1.m", "memory1.b"], "wire": {"kind": "link"}}]},
    "b": {"kind": "part"}}, "links": [{"ends": ["a.chip.e", "b.w"], "wire": {"kind": "pcie"}}]})");
  const draw::Picture p = drawn(graph);
  const auto place = [&](const std::string& name) {
    for (std::size_t n = 0; n < graph.nodes.size(); ++n)
      if (graph.nodes[n].name == name) return p.boxes[n].at.centre();
    throw std::logic_error("no " + name);
  };
  CHECK(place("a.core").y < place("a.rc1").y);
  CHECK(place("a.rc1").y < place("a.memory").y);
  CHECK(place("a.rc1").y == Approx((place("a.core1").y + place("a.memory1").y) / 2));
  for (std::size_t l = 0; l < graph.links.size(); ++l) {
    REQUIRE(p.lines[l].paths.size() == 1);
    for (std::size_t n = 0; n < graph.nodes.size(); ++n)
      if (n != graph.links[l].a.node && n != graph.links[l].b.node)
        CHECK_FALSE(draw::crosses(p.lines[l].paths[0], p.boxes[n].at));
  }
}

TEST_CASE("draw: a ring is walked along its links, whatever the order of its groups") {
  const topo::Graph graph =
      clustered(4, 0, {{chip(0), chip(2)}, {chip(2), chip(1)}, {chip(1), chip(3)}, {chip(3), chip(0)}});
  CHECK(draw::arrange(draw::groups_of(graph)).order == std::vector<int>{0, 2, 1, 3});
}

TEST_CASE("draw: a tree has its root on top and its nodes in one row below") {
  const auto plan = draw::arrange(draw::groups_of(tree(4, 1)));
  REQUIRE(plan.levels.size() == 13);
  for (std::size_t g = 0; g < 8; ++g) CHECK(plan.levels[g] == 0);
  for (std::size_t g = 8; g < 12; ++g) CHECK(plan.levels[g] == 1);
  CHECK(plan.levels[12] == 2);
}

TEST_CASE("draw: a tree of single devices has levels, too, with one root or several") {
  for (const int roots : {1, 2}) {
    const auto plan = draw::arrange(draw::groups_of(plain_tree(4, roots, 3)));
    CAPTURE(roots);
    CHECK(plan.shape == Shape::layers);
    std::vector<int> expected(4, 1);  // leaves, as the fixture counts its switches
    expected.insert(expected.end(), static_cast<std::size_t>(roots), 2);
    expected.insert(expected.end(), 12, 0);
    CHECK(plan.levels == expected);
  }
}

TEST_CASE("draw: levels of a tree are rows, each device above the middle of those below it") {
  const draw::Picture p = draw::draw(plain_tree(4, 1, 2), "");
  const auto middle = [&](std::size_t i) { return p.boxes[i].at.centre(); };
  const std::size_t root = 4;
  for (std::size_t leaf = 0; leaf < 4; ++leaf) {
    const std::size_t host = 5 + 2 * leaf;
    CHECK(middle(leaf).y == Approx(middle(0).y));
    CHECK(middle(host).y == Approx(middle(5).y));
    CHECK(middle(host + 1).y == Approx(middle(5).y));
    CHECK(middle(leaf).x == Approx((middle(host).x + middle(host + 1).x) / 2));
  }
  CHECK(p.boxes[root].at.bottom() < p.boxes[0].at.y);
  CHECK(p.boxes[0].at.bottom() < p.boxes[5].at.y);
  CHECK(middle(root).x == Approx((middle(0).x + middle(1).x + middle(2).x + middle(3).x) / 4));
}

TEST_CASE("draw: the more devices, the less is said of each") {
  CHECK(draw::draw(regular("ring", "\"nodes\": 4"), "").boxes[0].lines.front() == "router0");
  const draw::Picture some = draw::draw(regular("ring", "\"nodes\": 64"), "");
  CHECK(some.boxes[63].lines.front() == "r63");
  CHECK(some.labels.empty());
  CHECK(draw::draw(regular("ring", "\"nodes\": 400"), "").boxes[0].lines.empty());
}

TEST_CASE("draw: a picture of too many devices is refused") {
  CHECK_THROWS_WITH(draw::draw(regular("ring", "\"nodes\": 10001"), ""), Catch::Contains("20002 devices are too many"));
}

}  // namespace draw_layout_test
