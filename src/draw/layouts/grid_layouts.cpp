// SPDX-License-Identifier: Apache-2.0
// Ring and crossbar; rooms between boxes are such that a label fits where there are labels.
#include "draw/layouts/layouts.hpp"
#include "topo/grid.hpp"

namespace tsunagi::draw {

Path bowed(const Rect& a, const Rect& b, double bow) {
  const Point from = a.centre();
  const Point to = b.centre();
  const Point step = to - from;
  if (bow == 0 || length(step) == 0) return cut({from, to}, a, b);
  const Point control = between(from, to, 0.5) + Point{-step.y, step.x} * (2 * bow / length(step));
  constexpr int pieces = 16;
  Path path;
  for (int i = 0; i <= pieces; ++i) {
    const double part = static_cast<double>(i) / pieces;
    path.push_back(between(between(from, control, part), between(control, to, part), part));
  }
  return cut(path, a, b);
}

Size largest(const Picture& picture, std::size_t first, std::size_t count) {
  Size out;
  for (std::size_t i = first; i < first + count; ++i)
    out = {std::max(out.width, picture.boxes[i].at.width), std::max(out.height, picture.boxes[i].at.height)};
  return out;
}

Point on_circle(double radius, double index, double count) {
  constexpr double turn = 6.283185307179586;
  const double angle = turn * index / count;
  return {radius * std::sin(angle), -radius * std::cos(angle)};
}

namespace {

void put(Box& box, Point centre) { box.at = around(centre, {box.at.width, box.at.height}); }

/// Radius of a circle on which `count` things of that diagonal and gap stand side by side.
double radius_for(int count, double diagonal_and_gap) {
  return count < 3 ? diagonal_and_gap / 2 : diagonal_and_gap / 2 / std::sin(3.14159265358979 / count);
}

}  // namespace

void place_ring(Picture& picture, const topo::Graph& graph, Size room) {
  const topo::Grid& grid = *graph.networks[0]->grid();
  const auto routers = static_cast<std::size_t>(grid.routers());
  const auto terminals = static_cast<std::size_t>(grid.terminals());
  const Size router = largest(picture, 0, routers);
  const Size terminal = largest(picture, routers, terminals);
  // From a router's centre to its terminal's, which lie in that direction.
  const auto reach = [&](Point way) {
    const auto half = [&](Size s) { return std::min(s.width / std::abs(way.x), s.height / std::abs(way.y)) / 2; };
    return half(router) + half(terminal) + std::abs(way.x) * room.width + std::abs(way.y) * room.height;
  };
  const double inner = std::max(radius_for(grid.routers(), diagonal(router) + room.width),
                                radius_for(grid.terminals(), diagonal(terminal) + 4) - reach({0, 1}));
  for (int r = 0; r < grid.routers(); ++r)
    put(picture.boxes[static_cast<std::size_t>(r)], on_circle(inner, r, grid.routers()));
  const double middle = (grid.terminals_each() - 1) / 2.0;  // a router's terminals stand left and right of it
  for (int t = 0; t < grid.terminals(); ++t) {
    const Point way = on_circle(1, t - middle, grid.terminals());
    put(picture.boxes[routers + static_cast<std::size_t>(t)], way * (inner + reach(way)));
  }
  for (std::size_t l = 0; l < graph.links.size(); ++l) {
    const bool two = grid.routers() == 2 && l < 2;  // two wires between the same two routers
    picture.lines[l].paths = {bowed(picture.boxes[graph.links[l].a.node].at, picture.boxes[graph.links[l].b.node].at,
                                    two ? room.width / 2 : 0)};
  }
}

void place_crossbar(Picture& picture, const topo::Graph& graph, Size room) {
  const int terminals = graph.networks[0]->grid()->terminals();
  const Size size = largest(picture, 1, static_cast<std::size_t>(terminals));
  const bool four_sides = terminals > 32;
  const int sides = four_sides ? 4 : terminals > 3 ? 2 : 1;
  const int each = (terminals + sides - 1) / sides;
  const double step = std::max(size.width + 12, room.width * 0.9);
  const double half = each * step / 2;  // of the router's width
  const double half_height = four_sides ? half : std::max(30.0, half / 8);
  picture.boxes[0].at = around({0, 0}, {2 * half, 2 * half_height});
  for (int t = 0; t < terminals; ++t) {
    const int side = t / each;  // above, below, left, right
    const double at = step * (t % each + 0.5) - half;
    const double sign = side % 2 == 0 && sides > 1 ? -1 : 1;
    const bool upright = side < 2;
    const double edge = upright ? half_height : half;
    const double away = edge + (upright ? room.height : room.width) + (upright ? size.height : size.width) / 2;
    const Point far = upright ? Point{at, sign * away} : Point{sign * away, at};
    Box& box = picture.boxes[static_cast<std::size_t>(t) + 1];
    put(box, far);
    const Point near = upright ? Point{at, sign * edge} : Point{sign * edge, at};
    picture.lines[static_cast<std::size_t>(t)].paths = {cut({far, near}, box.at, {near.x, near.y, 0, 0})};
  }
}

}  // namespace tsunagi::draw
