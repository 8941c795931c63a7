// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "topo/grid.hpp"
#include "topo/network.hpp"

namespace tsunagi::topo {

/// What passes each output of a grid's routers on the paths of `GridRoutes`. A pair's path is one straight stretch a
/// dimension, of which only the ends are noted; one pass over the outputs adds them up. So the work is
/// terminals^2 x dimensions, however long the paths are.
class GridLoads {
 public:
  GridLoads(const Grid& grid, const Weight& weight);
  /// Router after router, port after port.
  const std::vector<std::int64_t>& passing() const { return passing_; }
  /// Stretches that were noted: what the work grows with.
  std::int64_t stretches() const { return stretches_; }

 private:
  std::size_t index(int router, int port) const {
    return static_cast<std::size_t>(router) * static_cast<std::size_t>(grid_.ports()) + static_cast<std::size_t>(port);
  }
  void note(int from, int to, std::int64_t weight);
  void add_up(int d, bool up);

  const Grid& grid_;
  std::vector<std::int64_t> passing_;
  std::int64_t stretches_ = 0;
};

}  // namespace tsunagi::topo
