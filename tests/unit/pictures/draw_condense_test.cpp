// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <set>

#include "draw/condense.hpp"
#include "draw/draw.hpp"
#include "draw/heat_map.hpp"
#include "draw/looks.hpp"
#include "support/catch.hpp"
#include "unit/pictures/draw_fixture.hpp"

namespace draw_condense_test {

using namespace tsunagi;
using namespace tsunagi::test;
using draw::Picture;

namespace {

/// Where texts are, boxes whole.
std::vector<draw::Rect> texts_of(const Picture& p) {
  std::vector<draw::Rect> out;
  for (const draw::Box& box : p.boxes) out.push_back(box.at);
  for (const draw::Label& label : p.labels) out.push_back(label.at);
  for (const draw::Entry& entry : p.legend) out.push_back(entry.at);
  if (p.scale) out.push_back(p.scale->at);
  for (const draw::Frame& f : p.frames)
    out.push_back({f.at.x + 6, f.at.y + 4, draw::text_width(f.title, f.font, true), f.font + 5});
  return out;
}

void expect_texts_apart(const Picture& p) {
  const std::vector<draw::Rect> all = texts_of(p);
  int bad = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool inside =
        all[i].x >= 0 && all[i].y >= 0 && all[i].right() <= p.size.width && all[i].bottom() <= p.size.height;
    bad += inside ? 0 : 1;
    for (std::size_t k = 0; k < i; ++k) bad += draw::overlap(all[i], all[k]) ? 1 : 0;
  }
  CHECK(bad == 0);
}

/// A ring of nodes of one chip and one memory, the memory of node `other` with a number of its own.
topo::Graph ring_of(int nodes, int other) {
  std::string devices;
  std::string links;
  for (int n = 0; n < nodes; ++n) {
    const std::string comma = n == 0 ? "" : ", ";
    devices += comma + "\"node" + std::to_string(n) + R"(": {"kind": "group", "devices": {"chip": {"kind": "part"},
      "memory": {"kind": "router", "number": )" +
               std::to_string(n == other ? 7 : 0) +
               R"(}}, "links": [{"ends": ["chip.m", "memory.b"], "wire": {"kind": "link"}}]})";
    links +=
        comma + R"({"ends": [")" + chip(n) + R"(.e", ")" + chip((n + 1) % nodes) + R"(.w"], "wire": {"kind": "pcie"}})";
  }
  return drawn_graph(R"({"kind": "explicit", "devices": {)" + devices + R"(}, "links": [)" + links + "]}");
}

std::set<std::string> titles(const Picture& p) {
  std::set<std::string> out;
  for (const draw::Frame& f : p.frames) out.insert(f.title);
  return out;
}

bool any_line(const draw::Box& box, const std::string& text) {
  return std::find(box.lines.begin(), box.lines.end(), text) != box.lines.end();
}

}  // namespace

TEST_CASE("draw: of sixteen equal nodes one is drawn in detail, all are boxes in the network") {
  const topo::Graph graph = two_rings(8);
  const Picture p = draw::draw(graph, "sixteen");
  CHECK(p.network_boxes == 16);
  CHECK(p.network_lines == 24);
  CHECK(p.boxes.size() == 16 + 4);
  for (std::size_t n = 0; n < 16; ++n) CHECK(p.boxes[n].lines == std::vector<std::string>{"node" + std::to_string(n)});
  CHECK(titles(p) == std::set<std::string>{"node0; node1–node15 are the same"});
  for (std::size_t b = 16; b < 20; ++b) CHECK(p.frames.front().at.has(p.boxes[b].at.centre()));
  expect_texts_apart(p);
}

TEST_CASE("draw: of a wire only the legend says what it is, once, unless rates are asked for") {
  const Picture p = draw::draw(two_rings(8), "");
  std::multiset<std::string> entries;
  for (const draw::Entry& e : p.legend) entries.insert(e.text);
  CHECK(entries == std::multiset<std::string>{"PCIe Gen2 x8", "link 16 GB/s", "node", "part"});
  for (const draw::Label& label : p.labels) CHECK(label.lines.front().rfind("node", 0) == 0);  // what cables lead to
  CHECK(p.labels.size() == 3);
}

TEST_CASE("draw: a node that differs in one value is no equal node") {
  CHECK(titles(draw::draw(ring_of(6, 2), "")) == std::set<std::string>{"node0; 4 others are the same", "node2"});
  CHECK(titles(draw::draw(ring_of(6, -1), "")) == std::set<std::string>{"node0; node1–node5 are the same"});
}

TEST_CASE("draw: a node of which one wire inside is longer is no equal node") {
  topo::Graph graph = chain(5, true);
  CHECK(draw::condense(graph).insides.size() == 1);
  const auto inside = std::find_if(graph.links.begin(), graph.links.end(), [&](const topo::Link& l) {
    return draw::group_of(graph.nodes[l.a.node].name) == draw::group_of(graph.nodes[l.b.node].name);
  });
  inside->flight = 5_ns;
  CHECK(draw::condense(graph).insides.size() == 2);
}

TEST_CASE("draw: two nodes are drawn in full, and all of them on request") {
  CHECK(titles(draw::draw(ring_of(2, -1), "")) == std::set<std::string>{"node0", "node1"});
  CHECK(titles(draw::draw(ring_of(3, -1), "")).size() == 1);
  CHECK(titles(draw::draw(ring_of(3, -1), "", {true})).size() == 3);
}

TEST_CASE("draw: a device has its kind's colour in every picture, whatever else is in it") {
  CHECK(draw::fill_of("gpu").tint == draw::fill_of("gpu").tint);
  CHECK(draw::fill_of("a new card").tint == draw::fill_of("a new card").tint);
  std::set<std::string> tints;
  const std::vector<std::string> kinds{"node",
                                       "core",
                                       "memory",
                                       "root_complex",
                                       "storage_controller",
                                       "pcie_switch",
                                       "gpu",
                                       "fpga",
                                       "peach2",
                                       "hca",
                                       "infiniband_switch",
                                       "nia",
                                       "router",
                                       "terminal",
                                       "input_queued_router",
                                       "sr8000_crossbar",
                                       "exerciser",
                                       "tlm_card"};
  for (const std::string& kind : kinds) {
    const std::string tint = draw::fill_of(kind).tint;
    tints.insert(tint);
    for (const std::size_t at : {1u, 3u, 5u})  // black text can be read on it
      CHECK(std::strtol(tint.substr(at, 2).c_str(), nullptr, 16) >= 0x98);
  }
  CHECK(tints.size() == kinds.size());
}

TEST_CASE("draw: pens do not depend on the order of links, cables between nodes are solid") {
  topo::Graph graph = chain(5, true);
  const auto pens = [](const topo::Graph& g) {
    std::set<std::string> out;
    for (const draw::Entry& e : draw::Palette(g).legend()) out.insert(e.text + " " + e.pen.colour + " " + e.pen.dashes);
    return out;
  };
  const auto before = pens(graph);
  std::reverse(graph.links.begin(), graph.links.end());
  CHECK(pens(graph) == before);
  for (const topo::Link& link : graph.links)
    if (draw::group_of(graph.nodes[link.a.node].name) != draw::group_of(graph.nodes[link.b.node].name))
      CHECK(draw::Palette(graph).pen_of(link).dashes.empty());
}

TEST_CASE("draw: of two wires of one kind the cable between nodes is solid, though there are fewer of them") {
  const std::string node = R"({"kind": "group", "devices": {"chip": {"kind": "part"}, "a": {"kind": "part"},
    "b": {"kind": "part"}}, "links": [{"ends": ["chip.a", "a.x"], "wire": {"kind": "pcie", "lanes": 16}},
    {"ends": ["chip.b", "b.x"], "wire": {"kind": "pcie", "lanes": 16}}]})";
  const topo::Graph graph =
      drawn_graph(R"({"kind": "explicit", "devices": {"n0": )" + node + R"(, "n1": )" + node +
                  R"(}, "links": [{"ends": ["n0.chip.e", "n1.chip.w"], "wire": {"kind": "pcie"}}]})");
  const std::vector<draw::Entry> legend = draw::Palette(graph).legend();
  REQUIRE(legend.size() == 3);
  CHECK(legend[1].text == "PCIe Gen2 x8");
  CHECK(legend[1].pen.dashes.empty());
  CHECK_FALSE(legend[2].pen.dashes.empty());
}

TEST_CASE("draw: thousands of hosts at equal switches become stacks that say how many they are") {
  const topo::Graph graph = plain_tree(16, 8, 64);
  const Picture p = draw::draw(graph, "large");
  CHECK(p.boxes.size() < 160);
  draw::Condensed c = draw::condense(graph);
  draw::summarise(c, 160);
  std::size_t devices = 0;
  std::size_t wires = 0;
  for (const draw::Members& m : c.nodes) devices += m.devices.size();
  for (const auto& links : c.links) wires += links.size();
  CHECK(devices == graph.nodes.size());
  CHECK(wires == graph.links.size());
  CHECK(std::any_of(p.boxes.begin(), p.boxes.end(),
                    [](const draw::Box& b) { return b.many && any_line(b, "64 routers"); }));
  expect_texts_apart(p);
}

TEST_CASE("draw: what is not too large is not summarised") {
  const topo::Graph graph = plain_tree(4, 2, 8);
  draw::Condensed c = draw::condense(graph);
  draw::summarise(c, 160);
  CHECK(c.nodes.size() == graph.nodes.size());
}

TEST_CASE("draw: ranges of names are short") {
  CHECK(draw::range_text({"node3"}) == "node3");
  CHECK(draw::range_text({"node3", "node4"}) == "node3 and node4");
  CHECK(draw::range_text({"node3", "node4", "node5"}) == "node3–node5");
  CHECK(draw::range_text({"rail1.r3", "rail1.r4", "rail1.r5"}) == "rail1.r3–r5");
  CHECK(draw::range_text({"node3", "node5"}).empty());
  CHECK(draw::range_text({"a", "b"}).empty());
  CHECK(draw::ranks_text({}).empty());
  CHECK(draw::ranks_text({4}) == "rank 4");
  CHECK(draw::ranks_text({0, 1, 2}) == "ranks 0–2");
  CHECK(draw::ranks_text({0, 4}) == "ranks 0, 4");
  CHECK(draw::ranks_text({0, 4, 8, 12, 16}) == "ranks 0, 4, 8, 12, …");
}

TEST_CASE("draw: ports stand at the ends of their wires, ranks in the boxes of nodes and of devices") {
  const topo::Graph graph = two_rings(8);
  draw::Show show;
  show.ports = true;
  for (int n = 0; n < 16; ++n) show.ranks.push_back(chip(n));
  const Picture p = draw::draw(graph, "", show);
  CHECK(any_line(p.boxes[3], "rank 3"));
  CHECK(any_line(p.boxes[16], "rank 0"));  // the chip of node0, in detail
  int ends = 0;
  for (const draw::Label& label : p.labels) ends += label.lines.front() == "p" ? 1 : 0;
  CHECK(ends == 2 * 24);
  expect_texts_apart(p);
}

TEST_CASE("draw: crossbars along rows and columns are buses, no link runs over a box, equal planes are one") {
  const bool box = GENERATE(false, true);
  const Picture p = draw::draw(regular("crossbars", box ? "\"sizes\": [5, 4, 6]" : "\"sizes\": [5, 4]"), "");
  CHECK(p.boxes.size() == (box ? 3u : 2u) * 20 + 5 + 4);
  for (std::size_t i = 0; i < p.lines.size(); ++i)
    for (const draw::Box& other : p.boxes) {
      const draw::Path& path = p.lines[i].paths.at(0);
      const bool own = draw::grown(other.at, 1).has(path.front()) || draw::grown(other.at, 1).has(path.back());
      if (!own) CHECK_FALSE(draw::crosses(path, other.at));
    }
  expect_texts_apart(p);
}

TEST_CASE("draw: a heat map is darkest where most was carried, and names the busiest wires") {
  const topo::Graph graph = two_rings(4);
  draw::Show show;
  show.uses = {std::vector<double>(graph.links.size(), 0.0), "of all"};
  const std::size_t inner = 3 * 8 - 1;               // inside node7
  const std::size_t cable = graph.links.size() - 1;  // from node3 to node7
  show.uses.parts[inner] = 0.3;
  show.uses.parts[cable] = 0.42;
  const Picture p = draw::draw(graph, "", show);
  REQUIRE(p.scale);
  CHECK(p.scale->most == "50 %");
  CHECK(p.lines[p.network_lines - 1].pen.colour == draw::heat(0.84).colour);
  CHECK(p.lines[0].pen.colour == draw::heat(0).colour);
  for (const draw::Entry& e : p.legend) CHECK(e.fill.has_value());
  REQUIRE(p.notes.size() == 1);
  CHECK_THAT(p.notes[0], Catch::StartsWith("Busiest wires: node3.chip.p") && Catch::Contains("42\u00a0%") &&
                             Catch::Contains("30\u00a0%") && Catch::Contains("node7."));
  CHECK(std::any_of(p.labels.begin(), p.labels.end(),
                    [](const draw::Label& l) { return l.lines == std::vector<std::string>{"42 %"}; }));
  expect_texts_apart(p);
  show.uses.parts.assign(graph.links.size(), 0);
  CHECK(draw::draw(graph, "", show).notes == std::vector<std::string>{"No wire carried anything."});
}

TEST_CASE("draw: a line that stands for many wires has the colour of the busiest of them") {
  const topo::Graph graph = plain_tree(16, 8, 64);
  draw::Show show;
  show.uses = {std::vector<double>(graph.links.size(), 0.1), "of all"};
  show.uses.parts[8 + 20] = 0.5;  // of the first switch, behind its ways up, to one of its hosts
  const Picture p = draw::draw(graph, "", show);
  CHECK(std::count_if(p.lines.begin(), p.lines.end(),
                      [](const draw::Line& l) { return l.pen.colour == draw::heat(1).colour; }) == 1);
}

}  // namespace draw_condense_test
