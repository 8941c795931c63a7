// SPDX-License-Identifier: Apache-2.0
// Colours of kinds, and of a heat map.
#include <algorithm>
#include <cstdlib>

#include "draw/draw.hpp"
#include "draw/heat_map.hpp"
#include "support/catch.hpp"
#include "unit/pictures/draw_fixture.hpp"

namespace draw_colours_test {

using namespace tsunagi;
using namespace tsunagi::test;
using draw::Picture;

TEST_CASE("draw: a kind that has no colour of its own takes none of a node or a terminal") {
  for (int i = 0; i < 200; ++i) {
    const draw::Fill fill = draw::fill_of("kind" + std::to_string(i));
    CHECK(fill.tint != draw::fill_of("node").tint);
    CHECK(fill.tint != draw::fill_of("terminal").tint);
  }
}

TEST_CASE("draw: a wire of a heat map that is drawn twice, in the network and in detail, has its label once") {
  const topo::Graph graph = chain(5, true);
  draw::Show show;
  show.uses = {std::vector<double>(graph.links.size(), 0.0), "of all"};
  const auto cable = std::find_if(graph.links.begin(), graph.links.end(), [&](const topo::Link& l) {
    return graph.nodes[l.a.node].name == "node0.chip" && graph.nodes[l.b.node].name == "node1.chip";
  });
  show.uses.parts[static_cast<std::size_t>(cable - graph.links.begin())] = 0.4;
  const Picture p = draw::draw(graph, "", show);
  CHECK(std::count_if(p.lines.begin(), p.lines.end(),
                      [](const draw::Line& l) { return l.pen.colour == draw::heat(1).colour; }) == 2);
  CHECK(std::count_if(p.labels.begin(), p.labels.end(),
                      [](const draw::Label& l) { return l.lines == std::vector<std::string>{"40 %"}; }) == 1);
}

TEST_CASE("draw: the scale of a heat map ends at a round number, not far above the busiest wire") {
  CHECK(draw::top_of_scale(1) == Approx(1));
  CHECK(draw::top_of_scale(0.81) == Approx(1));
  CHECK(draw::top_of_scale(0.51) == Approx(0.6));
  CHECK(draw::top_of_scale(0.5) == Approx(0.5));
  CHECK(draw::top_of_scale(0.19) == Approx(0.2));
  CHECK(draw::top_of_scale(0.011) == Approx(0.015));
}

TEST_CASE("draw: heat gets darker all the way, so that it says the same in grey") {
  double last = 1000;
  for (int i = 0; i <= 20; ++i) {
    const std::string c = draw::heat(i / 20.0).colour;
    const auto part = [&](std::size_t at) {
      return static_cast<double>(std::strtol(c.substr(at, 2).c_str(), nullptr, 16));
    };
    const double grey = 0.3 * part(1) + 0.59 * part(3) + 0.11 * part(5);
    CHECK(grey < last);
    last = grey;
  }
}

}  // namespace draw_colours_test
