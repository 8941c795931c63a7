// SPDX-License-Identifier: Apache-2.0
#include "topo/routes/grid_adaptive.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

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

namespace {

/// What goes along the dimensions of a grid on minimal ways, by weight.
class Passing {
 public:
  Passing(const Grid& grid, const Weight& weight)
      : grid_(grid), crossing_(static_cast<std::size_t>(grid.routers() * 2 * grid.dimensions())), alone_(crossing_) {
    for (int from = 0; from < grid.terminals(); ++from)
      for (int to = 0; to < grid.terminals(); ++to)
        if (const std::int64_t w = weight(from, to); w > 0) add(grid.router_of(from), grid.router_of(to), w);
  }
  /// By port, between one coordinate and the next: counted at routers from which it would go along that dimension
  /// first.
  std::int64_t crossing(int router, int port) const { return crossing_[at(router, port)]; }
  /// By a cable, of what has no other way.
  std::int64_t alone(int router, int port) const { return alone_[at(router, port)]; }

 private:
  std::size_t at(int router, int port) const {
    return static_cast<std::size_t>(router * 2 * grid_.dimensions() + port);
  }
  void add(int from, int to, std::int64_t w) {
    int extents = 0;
    for (int d = 0; d < grid_.dimensions(); ++d)
      extents += grid_.coordinate(from, d) != grid_.coordinate(to, d) ? 1 : 0;
    for (int d = 0; d < grid_.dimensions(); ++d) {
      const int there = grid_.coordinate(to, d);
      const int port = Grid::port(d, leads_up(grid_, d, grid_.coordinate(from, d), there));
      for (int r = from; grid_.coordinate(r, d) != there; r = grid_.neighbour(r, port)) {
        crossing_[at(r, port)] += w;
        if (extents == 1) alone_[at(r, port)] += w;
      }
    }
  }

  const Grid& grid_;
  std::vector<std::int64_t> crossing_, alone_;
};

}  // namespace

void GridMinimalAdaptive::for_own_cuts(const Weight& weight, const std::function<std::int64_t(int, int)>& capacity,
                                       const std::function<void(const Cut&)>& visit) const {
  const Passing passing(*grid_, weight);
  for (int port = 0; port < 2 * grid_->dimensions(); ++port) {
    std::vector<Cut> between(static_cast<std::size_t>(grid_->size(port / 2)));  // by the coordinate that is left
    for (int r = 0; r < grid_->routers(); ++r) {
      if (grid_->neighbour(r, port) < 0) continue;
      Cut& cut = between[static_cast<std::size_t>(grid_->coordinate(r, port / 2))];
      cut.passing += passing.crossing(r, port);
      cut.capacity += capacity(r, port);
      if (const std::int64_t alone = passing.alone(r, port); alone > 0) visit({alone, capacity(r, port)});
    }
    for (const Cut& cut : between)
      if (cut.passing > 0) visit(cut);
  }
}

int GridMinimalAdaptive::classes() const {
  const int networks = 1 << std::max(0, extents_ - 1);
  return grid_->wraps() ? networks * (extents_ + 1) : networks;
}

int GridValiant::classes() const { return 2 * stage_classes(); }

Way GridValiant::way(int router, const Trip& trip, Course c) const {
  const int last = grid_->router_of(static_cast<int>(trip.destination));
  if (c.stage == 0 && router == c.turn) c.stage = 1;
  if (c.stage == 1 && router == last) return {{grid_->terminal_port(static_cast<int>(trip.destination))}};
  const int start = c.stage == 0 ? grid_->router_of(static_cast<int>(trip.source)) : c.turn;
  const int end = c.stage == 0 ? c.turn : last;
  for (int d = 0;; ++d) {
    const int from = grid_->coordinate(start, d), to = grid_->coordinate(end, d);
    const Stretch s = stretch(*grid_, d, from, grid_->coordinate(router, d), to);
    if (s.left == 0) continue;
    const bool crosses = s.up ? to < from : to > from;
    const int side = !grid_->wraps() ? 0 : crosses ? (s.crossed ? 1 : 0) : c.lane;
    return {{Grid::port(d, s.up), c.stage * stage_classes() + side},
            1 + 4 * static_cast<std::uint32_t>(c.turn) + static_cast<std::uint32_t>(2 * c.lane + c.stage)};
  }
}

Way GridValiant::direct(int router, const Trip& trip, int stage, int lane) const {
  const int last = grid_->router_of(static_cast<int>(trip.destination));
  Way w = way(router, trip, {stage, stage == 0 ? last : router, lane});
  w.hops = distance(*grid_, router, last) + 1;
  return w;
}

Way GridValiant::detour(int router, const Trip& trip, int turn, int lane) const {
  Way w = way(router, trip, {0, turn, lane});
  const int last = grid_->router_of(static_cast<int>(trip.destination));
  w.hops = distance(*grid_, router, turn) + distance(*grid_, turn, last) + 1;
  w.bias = choice_.threshold;
  return w;
}

void GridValiant::ways(int router, const Trip& trip, Draws draws, Ways& out) const {
  if (trip.via != 0) {
    const auto via = static_cast<int>(trip.via - 1);
    return out.push_back(way(router, trip, {via % 2, via / 4, via / 2 % 2}));
  }
  const bool arrived = router == grid_->router_of(static_cast<int>(trip.destination));
  if (arrived) return out.push_back(direct(router, trip, 1, 0));
  const auto routers = static_cast<std::uint32_t>(grid_->routers());
  if (draws == Draws::own) {
    const int lane = static_cast<int>(trip.mix & 1);
    if (minimal_) out.push_back(direct(router, trip, static_cast<int>(trip.mix >> 1 & 1), lane));
    return out.push_back(
        detour(router, trip,
               static_cast<int>(pick_of(routers, mix_of(trip.mix, static_cast<std::uint32_t>(choice_.seed)))), lane));
  }
  for (int lane = 0; lane < stage_classes(); ++lane) {
    if (minimal_)
      for (const int stage : {1, 0}) out.push_back(direct(router, trip, stage, lane));
    for (std::uint32_t r = 0; r < routers; ++r) out.push_back(detour(router, trip, static_cast<int>(r), lane));
  }
}

}  // namespace tsunagi::topo
