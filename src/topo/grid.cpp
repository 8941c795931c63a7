// SPDX-License-Identifier: Apache-2.0
#include "topo/grid.hpp"

#include <stdexcept>
#include <utility>

namespace tsunagi::topo {

Grid::Grid(std::vector<int> sizes, bool wrap, int terminals)
    : sizes_(std::move(sizes)), wrap_(wrap), terminals_(terminals) {
  constexpr int most = 1 << 24;
  for (const int k : sizes_) {
    if (k < 1 || k > 65536 || routers_ > most / k)
      throw std::invalid_argument("a grid has 1 to 16,777,216 routers, at most 65,536 a dimension");
    routers_ *= k;
  }
  if (terminals_ < 1) throw std::invalid_argument("a router has at least one terminal");
  coordinates_.reserve(static_cast<std::size_t>(routers_) * sizes_.size());
  for (int r = 0; r < routers_; ++r) {
    int rest = r;
    for (const int k : sizes_) {
      coordinates_.push_back(static_cast<std::uint16_t>(rest % k));
      rest /= k;
    }
  }
}

std::string Grid::port_name(int port) const {
  if (is_terminal_port(port)) return "t" + std::to_string(port - 2 * dimensions());
  return "d" + std::to_string(port / 2) + (port % 2 == 0 ? "+" : "-");
}

int Grid::neighbour(int router, int port) const {
  const int d = port / 2;
  const int k = size(d);
  int stride = 1;
  for (int e = 0; e < d; ++e) stride *= size(e);
  const int x = coordinate(router, d);
  const int y = port % 2 == 0 ? x + 1 : x - 1;
  if (k == 1 || (!wrap_ && (y < 0 || y >= k))) return -1;
  return router + ((y + k) % k - x) * stride;
}

}  // namespace tsunagi::topo
