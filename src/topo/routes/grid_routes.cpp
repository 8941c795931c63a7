// SPDX-License-Identifier: Apache-2.0
#include "topo/routes/grid_routes.hpp"

#include "topo/routes/grid_loads.hpp"

namespace tsunagi::topo {

bool leads_up(const Grid& grid, int d, int here, int there) {
  if (!grid.wraps()) return there > here;
  const int k = grid.size(d);
  const int distance = there - here + (there < here ? k : 0);  // going up
  if (2 * distance == k) return here % 2 == 0;
  return 2 * distance < k;
}

namespace {

/// On the way from coordinate `start`, over `here`, to `there`.
int dateline_class(std::uint32_t mix, bool up, int start, int here, int there) {
  const bool crosses = up ? there < start : there > start;
  const bool ahead = up ? there < here : there > here;
  return crosses ? (ahead ? 0 : 1) : static_cast<int>(mix & 1);
}

}  // namespace

Hop GridRoutes::next(int router, const Trip& trip) const {
  const auto destination = static_cast<int>(trip.destination);
  const int last = grid_->router_of(destination);
  if (router == last) return {grid_->terminal_port(destination)};
  for (int d = 0;; ++d) {
    const int here = grid_->coordinate(router, d);
    const int there = grid_->coordinate(last, d);
    if (here == there) continue;
    const bool up = leads_up(*grid_, d, here, there);
    const int port = Grid::port(d, up);
    if (!grid_->wraps()) return {port};
    const int start = grid_->coordinate(grid_->router_of(static_cast<int>(trip.source)), d);
    return {port, dateline_class(trip.mix, up, start, here, there)};
  }
}

std::vector<std::int64_t> GridRoutes::loads(const Network& /*network*/, const Weight& weight) const {
  return GridLoads(*grid_, weight).passing();
}

}  // namespace tsunagi::topo
