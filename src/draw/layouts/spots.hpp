// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "draw/layouts/geometry.hpp"
#include "topo/network.hpp"

namespace tsunagi::draw {

/// Where a network's routers stand, in steps: as it says, by a grid's coordinates, else on a circle.
std::vector<Point> spots_of(const topo::Network& network);

/// What stands at a spot: its size, and how much of that is above the spot.
struct Extent {
  Size size;
  double above = 0;
};

/// Steps become pixels: as few as keep what stands at the spots apart, as wide or high as fills a slide best.
std::vector<Point> spread(std::vector<Point> spots, const std::vector<Extent>& extents, Size room);

}  // namespace tsunagi::draw
