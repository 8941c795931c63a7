// SPDX-License-Identifier: Apache-2.0
#include "topo/routes/grid_loads.hpp"

#include "topo/routes/grid_routes.hpp"

namespace tsunagi::topo {

GridLoads::GridLoads(const Grid& grid, const Weight& weight) : grid_(grid) {
  passing_.resize(static_cast<std::size_t>(grid_.routers()) * static_cast<std::size_t>(grid_.ports()));
  for (int from = 0; from < grid_.terminals(); ++from)
    for (int to = 0; to < grid_.terminals(); ++to)
      if (const std::int64_t w = weight(from, to); w != 0) note(from, to, w);
  for (int d = 0; d < grid_.dimensions(); ++d)
    for (const bool up : {true, false}) add_up(d, up);
}

void GridLoads::note(int from, int to, std::int64_t weight) {
  const int last = grid_.router_of(to);
  int at = grid_.router_of(from);
  int stride = 1;
  for (int d = 0; d < grid_.dimensions(); ++d) {
    const int k = grid_.size(d);
    const int here = grid_.coordinate(at, d);
    const int there = grid_.coordinate(last, d);
    if (here != there) {
      ++stretches_;
      const bool up = leads_up(grid_, d, here, there);
      const int port = Grid::port(d, up);
      const int next = at + (there - here) * stride;
      passing_[index(at, port)] += weight;
      passing_[index(next, port)] -= weight;  // which the packet leaves by another dimension, or for its terminal
      if (up != (there > here))
        passing_[index(at + ((up ? 0 : k - 1) - here) * stride, port)] += weight;  // round the end
      at = next;
    }
    stride *= k;
  }
  passing_[index(at, grid_.terminal_port(to))] += weight;
}

/// From what begins and ends at each router of dimension `d` to what passes it.
void GridLoads::add_up(int d, bool up) {
  const int port = Grid::port(d, up);
  const int first = up ? 0 : grid_.size(d) - 1;
  for (int line = 0; line < grid_.routers(); ++line) {
    if (grid_.coordinate(line, d) != first) continue;
    for (int at = line, i = 1; i < grid_.size(d); ++i) {
      const int next = grid_.neighbour(at, port);
      passing_[index(next, port)] += passing_[index(at, port)];
      at = next;
    }
  }
}

}  // namespace tsunagi::topo
