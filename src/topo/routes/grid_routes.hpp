// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "topo/grid.hpp"
#include "topo/network.hpp"

namespace tsunagi::topo {

/// Whether packets go up from coordinate `here` of dimension `d` to another one, `there`: the shorter way, of two
/// equally short ones up from even coordinates and down from odd ones.
bool leads_up(const Grid& grid, int d, int here, int there);

/// Dimension-order minimal routing in a grid, deadlock-free by datelines in wrapped dimensions (Dally and
/// Towles, "Principles and Practices of Interconnection Networks", 8.2.1 and 14.2.3). One pair of terminals has one
/// path and one sequence of classes.
///  - Half-way round an even ring, packets go up from even coordinates and down from odd ones.
///  - In a wrapped dimension a packet that is going to cross the dateline (between the last coordinate and
///    the first) uses class 0 before it and on it, class 1 behind. A packet that does not cross uses either, as its mix
///    says; so both carry load.
///  - Elsewhere, and on wires from and to terminals, every virtual channel may be used.
class GridRoutes final : public Routes {
 public:
  explicit GridRoutes(std::shared_ptr<const Grid> grid) : grid_(std::move(grid)) {}
  Hop next(int router, const Trip& trip) const override;
  int classes() const override { return grid_->wraps() ? 2 : 1; }
  std::vector<std::int64_t> loads(const Network& network, const Weight& weight) const override;
  const Grid& grid() const { return *grid_; }

 private:
  std::shared_ptr<const Grid> grid_;
};

}  // namespace tsunagi::topo
