// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tsunagi::scenarios {

/// Ranks as the points of a grid, the first dimension running fastest.
class ProcessGrid {
 public:
  /// `open`: dimensions whose ends do not meet. Throws std::invalid_argument, saying why, if there are not as many
  /// points as ranks, a side of none, or no such dimension.
  ProcessGrid(std::vector<std::int64_t> sizes, const std::vector<std::int64_t>& open, int ranks);
  int dimensions() const { return static_cast<int>(sizes_.size()); }
  /// Who is one step up (1) or down (-1) in a dimension, which may be the rank itself; nobody beyond an open end.
  std::optional<int> neighbour(int rank, int dimension, int step) const;

 private:
  std::vector<std::int64_t> sizes_;
  std::vector<bool> periodic_;
};

/// `ranks` as a grid of `dimensions` sides whose longest is as short as can be, then the next one, and so on; longest
/// first.
std::vector<std::int64_t> even_grid(std::int64_t ranks, int dimensions);

/// The box of a machine's routers as a grid of all its ranks: those of a router follow each other in the first
/// dimension. Empty if there is no box, or not equally many at each.
std::vector<std::int64_t> box_of(std::vector<std::int64_t> routers, int ranks);

/// The grid of the first `ranks` of `all` ranks that nobody gave: the machine's `box` if all take part and it has that
/// many dimensions, else an even one. `dimensions` 0: as many as the box has, up to `most`, else two.
std::vector<std::int64_t> grid_of(const std::vector<std::int64_t>& box, int ranks, int all, int dimensions, int most);

/// "4x4x2".
std::string grid_text(const std::vector<std::int64_t>& sizes);

}  // namespace tsunagi::scenarios
