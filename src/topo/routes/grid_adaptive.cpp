// SPDX-License-Identifier: Apache-2.0
#include "topo/routes/grid_adaptive.hpp"

#include <algorithm>
#include <utility>

#include "topo/routes/grid_routes.hpp"

namespace tsunagi::topo {

namespace {

/// Of a dimension, on a minimal way.
struct Stretch {
  bool up;
  int left;      // hops
  bool crossed;  // the dateline, before `here`
};

Stretch stretch(const Grid& grid, int d, int start, int here, int there) {
  const bool up = leads_up(grid, d, start, there);
  const int ahead = up ? there - here : here - there;
  const bool crosses = up ? there < start : there > start;
  return {up, ahead < 0 ? ahead + grid.size(d) : ahead, crosses && ahead >= 0};
}

/// Hops of a minimal way between two routers.
int distance(const Grid& grid, int from, int to) {
  int sum = 0;
  for (int d = 0; d < grid.dimensions(); ++d)
    sum += stretch(grid, d, grid.coordinate(from, d), grid.coordinate(from, d), grid.coordinate(to, d)).left;
  return sum;
}

}  // namespace

GridMinimalAdaptive::GridMinimalAdaptive(std::shared_ptr<const Grid> grid) : grid_(std::move(grid)) {
  for (int d = 0; d < grid_->dimensions(); ++d) {
    if (grid_->size(d) == 1) continue;
    ++extents_;
    last_ = d;
  }
}

void GridMinimalAdaptive::ways(int router, const Trip& trip, Draws /*draws*/, Ways& out) const {
  const auto destination = static_cast<int>(trip.destination);
  const int last = grid_->router_of(destination);
  if (router == last) return out.push_back({{grid_->terminal_port(destination)}});
  const int start = grid_->router_of(static_cast<int>(trip.source));
  int network = 0, bit = 1, crossed = 0, hops = 1;
  for (int d = 0; d <= last_; ++d) {
    if (grid_->size(d) == 1) continue;
    const Stretch s =
        stretch(*grid_, d, grid_->coordinate(start, d), grid_->coordinate(router, d), grid_->coordinate(last, d));
    if (!s.up && d < last_) network |= bit;
    bit <<= 1;
    crossed += s.crossed ? 1 : 0;
    hops += s.left;
    if (s.left > 0) out.push_back({{Grid::port(d, s.up)}});
  }
  const int channel_class = grid_->wraps() ? network * (extents_ + 1) + crossed : network;
  for (Way& w : out) {
    w.hop.channel_class = channel_class;
    w.hops = hops;
  }
  std::rotate(out.begin(), out.begin() + pick_of(static_cast<std::uint32_t>(out.size()), trip.mix), out.end());
}

int GridMinimalAdaptive::classes() const {
  const int networks = 1 << std::max(0, extents_ - 1);
  return grid_->wraps() ? networks * (extents_ + 1) : networks;
}

int GridValiant::classes() const { return 2 * stage_classes(); }

Way GridValiant::way(int router, const Trip& trip, int stage, int turn) const {
  const int last = grid_->router_of(static_cast<int>(trip.destination));
  if (stage == 0 && router == turn) stage = 1;
  if (stage == 1 && router == last) return {{grid_->terminal_port(static_cast<int>(trip.destination))}};
  const int start = stage == 0 ? grid_->router_of(static_cast<int>(trip.source)) : turn;
  const int end = stage == 0 ? turn : last;
  for (int d = 0;; ++d) {
    const Stretch s =
        stretch(*grid_, d, grid_->coordinate(start, d), grid_->coordinate(router, d), grid_->coordinate(end, d));
    if (s.left == 0) continue;
    const int channel_class = stage * stage_classes() + (s.crossed ? 1 : 0);
    return {{Grid::port(d, s.up), channel_class},
            1 + 2 * static_cast<std::uint32_t>(turn) + static_cast<std::uint32_t>(stage)};
  }
}

Way GridValiant::detour(int router, const Trip& trip, int turn) const {
  Way w = way(router, trip, 0, turn);
  const int last = grid_->router_of(static_cast<int>(trip.destination));
  w.hops = distance(*grid_, router, turn) + distance(*grid_, turn, last) + 1;
  w.bias = choice_.threshold;
  return w;
}

void GridValiant::ways(int router, const Trip& trip, Draws draws, Ways& out) const {
  if (trip.via != 0)
    return out.push_back(way(router, trip, static_cast<int>((trip.via - 1) % 2), static_cast<int>((trip.via - 1) / 2)));
  const int last = grid_->router_of(static_cast<int>(trip.destination));
  if (minimal_ || router == last) {
    out.push_back(way(router, trip, 1, router));
    out.back().hops = distance(*grid_, router, last) + 1;
    if (router == last) return;
  }
  const auto routers = static_cast<std::uint32_t>(grid_->routers());
  if (draws == Draws::own)
    return out.push_back(detour(
        router, trip, static_cast<int>(pick_of(routers, mix_of(trip.mix, static_cast<std::uint32_t>(choice_.seed))))));
  for (std::uint32_t r = 0; r < routers; ++r) out.push_back(detour(router, trip, static_cast<int>(r)));
}

}  // namespace tsunagi::topo
