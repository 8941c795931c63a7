// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
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

}  // namespace tsunagi::scenarios
