// SPDX-License-Identifier: Apache-2.0
#include "draw/draw.hpp"
#include "draw/looks.hpp"
#include "support/catch.hpp"
#include "unit/pictures/draw_fixture.hpp"

namespace draw_svg_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

/// Empty if every tag is closed in order, every attribute quoted and every ampersand an entity; else what is wrong.
std::string fault(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t i = 0; i < xml.size(); ++i) {
    if (xml[i] == '&' && xml.find(';', i) > i + 5) return "a bare ampersand at " + std::to_string(i);
    if (xml[i] == '>') return "a bare > at " + std::to_string(i);
    if (xml[i] != '<') continue;
    std::size_t end = i + 1;
    bool quoted = false;
    for (; end < xml.size() && (quoted || xml[end] != '>'); ++end) {
      if (xml[end] == '"') quoted = !quoted;
      if (xml[end] == '<') return "a < in a tag at " + std::to_string(end);
    }
    if (end == xml.size()) return "a tag without end";
    const std::string tag = xml.substr(i + 1, end - i - 1);
    const std::string name = tag.substr(0, tag.find_first_of(" /", 1));
    if (tag[0] == '/') {
      if (open.empty() || "/" + open.back() != tag) return "unexpected <" + tag + ">";
      open.pop_back();
    } else if (tag[0] != '?' && tag.back() != '/') {
      open.push_back(name);
    }
    i = end;
  }
  return open.empty() ? "" : "<" + open.back() + "> stays open";
}

int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("draw: the SVG is well-formed and the same each time") {
  for (const auto& make : {+[] { return chain(4, true); }, +[] { return tree(2, 2); },
                           +[] { return regular("torus", "\"sizes\": [3, 3, 3]"); }}) {
    const std::string svg = draw::svg(draw::draw(make(), "a machine"));
    CHECK(fault(svg).empty());
    CHECK(svg == draw::svg(draw::draw(make(), "a machine")));
    CHECK_THAT(svg, Catch::Contains("version=\"1.1\""));
    CHECK(svg.find("nan") == std::string::npos);
    CHECK(svg.find("inf") == std::string::npos);
  }
}

TEST_CASE("draw: the check of well-formedness finds faults") {
  CHECK(!fault("<a><b></a></b>").empty());
  CHECK(!fault("<a>").empty());
  CHECK(!fault("<a>&</a>").empty());
  CHECK(!fault("<a b=\"<\"/>").empty());
  CHECK(fault("<?xml?><a b=\"c\"><d/>&amp;</a>").empty());
}

TEST_CASE("draw: names and titles cannot break the SVG") {
  const topo::Graph graph =
      drawn_graph(R"({"kind": "explicit", "devices": {"<b&\">": {"kind": "part"}}, "links": []})");
  const std::string svg = draw::svg(draw::draw(graph, "a < b & \"c\"\x01"));
  CHECK(fault(svg).empty());
  CHECK_THAT(svg, Catch::Contains("a &lt; b &amp; &quot;c&quot;\\x01"));
  CHECK_THAT(svg, Catch::Contains("&lt;b&amp;&quot;&gt;"));
}

TEST_CASE("draw: devices, groups and links are named") {
  const std::string svg = draw::svg(draw::draw(chain(2, false), "two nodes", {false, false, true}));
  for (const char* text :
       {">two nodes<", ">node0<", ">node1<", ">chip<", ">memory<", ">PCIe<", ">Gen2 x8<", ">16 GB/s<"})
    CHECK_THAT(svg, Catch::Contains(text));
  CHECK_THAT(svg, Catch::Contains("<title>node0.chip.p - node1.chip.p: PCIe Gen2 x8</title>"));
  CHECK_THAT(svg, Catch::Contains("<title>node1.rc (part)</title>"));
  CHECK(count(svg, "<title>node") == 8 + 7);
}

TEST_CASE("draw: a wire says its generation and lanes, or its rate") {
  const auto lines = [](const std::string& wire) {
    const topo::Graph g = drawn_graph(
        R"({"kind": "explicit", "devices": {"a": {"kind": "part"}, "b": {"kind": "part"}},
            "links": [{"ends": ["a.p", "b.p"], "wire": )" +
        wire + "}]}");
    return draw::wire_lines(g.links.front().wire);
  };
  using Lines = std::vector<std::string>;
  CHECK(lines(R"({"kind": "pcie", "rate": "2.5 GT/s", "lanes": 4})") == Lines{"PCIe", "Gen1 x4"});
  CHECK(lines(R"({"kind": "pcie", "rate": "8 GT/s", "lanes": 16})") == Lines{"PCIe", "Gen3 x16"});
  CHECK(lines(R"({"kind": "pcie", "rate": "7 GT/s", "lanes": 1})") == Lines{"PCIe", "7 GT/s x1"});
  CHECK(lines(R"({"kind": "link", "bandwidth": "1.5 GB/s"})") == Lines{"link", "1.5 GB/s"});
}

TEST_CASE("draw: what a path runs through is seen, and cut off") {
  const draw::Rect r{10, 10, 20, 20};
  CHECK(draw::crosses({0, 20}, {40, 20}, r));
  CHECK(draw::crosses({15, 15}, {16, 16}, r));
  CHECK_FALSE(draw::crosses({0, 20}, {9, 20}, r));
  CHECK_FALSE(draw::crosses({0, 25}, {25, 50}, r));
  const draw::Path path = draw::cut({{20, 20}, {100, 20}}, r, {90, 10, 20, 20});
  CHECK(path.front().x == Approx(30));
  CHECK(path.back().x == Approx(90));
}

}  // namespace draw_svg_test
