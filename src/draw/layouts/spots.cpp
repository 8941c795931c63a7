// SPDX-License-Identifier: Apache-2.0
#include "draw/layouts/spots.hpp"

#include "draw/layouts/layouts.hpp"
#include "topo/grid.hpp"

namespace tsunagi::draw {
namespace {

constexpr std::size_t most_compared = 1500;
constexpr double flattest = 2.4;  // width to height to which a picture is pressed: lines get too flat to be followed

Rect extent_of(const std::vector<Point>& spots) {
  Rect all{spots[0].x, spots[0].y, 0, 0};
  for (const Point& p : spots) all = united(all, {p.x, p.y, 0, 0});
  return all;
}

/// How large a picture of these steps would be on a slide.
double zoom_of(const Rect& all, Size step) {
  return std::min(16 / ((all.width + 1) * step.width), 9 / ((all.height + 1) * step.height));
}

}  // namespace

/// Where a network's routers stand, in steps: as it says, by a grid's coordinates, else on a circle.
std::vector<Point> spots_of(const topo::Network& network) {
  std::vector<Point> out;
  const topo::Grid* grid = network.grid();
  const bool ring = grid != nullptr && grid->dimensions() == 1 && grid->wraps();
  const double radius = std::max(0.5, network.routers() / 6.2832);
  for (int r = 0; r < network.routers(); ++r) {
    if (!network.spots().empty()) {
      const topo::Network::Spot s = network.spots()[static_cast<std::size_t>(r)];
      out.push_back({s.x, s.y});
    } else if (grid != nullptr && !ring && grid->dimensions() > 0) {
      Point at;
      double across = 1, down = 1;  // copies of a plane stand in turn beside and below it
      for (int d = 0; d < grid->dimensions(); ++d) {
        double& step = d % 2 == 0 ? across : down;
        (d % 2 == 0 ? at.x : at.y) += step * grid->coordinate(r, d);
        step *= grid->size(d) + (d < 2 ? 0.5 : 0);
      }
      out.push_back(at);
    } else {
      out.push_back(on_circle(network.routers() == 1 ? 0 : radius, r, network.routers()));
    }
  }
  return out;
}

std::vector<Point> spread(std::vector<Point> spots, const std::vector<Extent>& extents, Size room) {
  Size step;
  for (const Extent& e : extents)
    step = {std::max(step.width, e.size.width + room.width), std::max(step.height, e.size.height + room.height)};
  const auto rect = [&](std::size_t i, Point factor) {
    return Rect{spots[i].x * step.width * factor.x - extents[i].size.width / 2,
                spots[i].y * step.height * factor.y - extents[i].above, extents[i].size.width + 0.6 * room.width,
                extents[i].size.height + room.height};
  };
  const auto collide = [&](Point factor) {
    for (std::size_t i = 0; i < spots.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (overlap(rect(i, factor), rect(j, factor))) return true;
    return false;
  };
  const Rect all = extent_of(spots);
  Point best{1, 1};
  double best_zoom = 0;
  if (spots.size() <= most_compared) {
    for (const double flat : {1.0, 0.4, 0.6, 0.8, 1.25, 1.6, 2.2}) {
      Point factor{0.3 * std::sqrt(flat), 0.3 / std::sqrt(flat)};
      while (factor.x < 8 && collide(factor)) factor = factor * 1.1;
      const double zoom = zoom_of(all, {step.width * factor.x, step.height * factor.y});
      if (zoom <= best_zoom * 1.02) continue;
      best_zoom = zoom;
      best = factor;
    }
    const auto is_flat = [&] {
      return (all.width + 1) * step.width * best.x > flattest * (all.height + 1) * step.height * best.y;
    };
    while (all.height > 0 && !is_flat() && !collide({best.x, best.y / 1.1})) best.y /= 1.1;
  }
  for (Point& p : spots) p = {p.x * step.width * best.x, p.y * step.height * best.y};
  return spots;
}

}  // namespace tsunagi::draw
