// SPDX-License-Identifier: Apache-2.0
#include "models/router/routing.hpp"

namespace tsunagi::router {

bool leads_up(const topo::Grid& grid, int d, int here, int there) {
  if (!grid.wraps()) return there > here;
  const int k = grid.size(d);
  const int distance = there - here + (there < here ? k : 0);  // going up
  if (2 * distance == k) return here % 2 == 0;
  return 2 * distance < k;
}

flow::FlowClass Routing::dateline_vc(const Header& h, bool up, int start, int here, int there) const {
  const bool crosses = up ? there < start : there > start;
  const bool ahead = up ? there < here : there > here;
  const unsigned lane = (h.mix >> 8) % static_cast<unsigned>(virtual_channels_ / 2);
  const unsigned side = crosses ? (ahead ? 0 : 1) : h.mix & 1;
  return static_cast<flow::FlowClass>(2 * lane + side);
}

Hop Routing::next(int router, const Header& h) const {
  const auto destination = static_cast<int>(h.destination);
  const int last = grid_->router_of(destination);
  if (router == last) return {grid_->terminal_port(destination), any_vc(h.mix, virtual_channels_)};
  for (int d = 0;; ++d) {
    const int here = grid_->coordinate(router, d);
    const int there = grid_->coordinate(last, d);
    if (here == there) continue;
    const bool up = leads_up(*grid_, d, here, there);
    const int port = topo::Grid::port(d, up);
    if (!datelines_) return {port, any_vc(h.mix, virtual_channels_)};
    const int start = grid_->coordinate(grid_->router_of(static_cast<int>(h.source)), d);
    return {port, dateline_vc(h, up, start, here, there)};
  }
}

}  // namespace tsunagi::router
