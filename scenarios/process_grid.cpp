// SPDX-License-Identifier: Apache-2.0
#include "scenarios/process_grid.hpp"

#include <stdexcept>
#include <string>
#include <utility>

#include "units/checked.hpp"

namespace tsunagi::scenarios {

ProcessGrid::ProcessGrid(std::vector<std::int64_t> sizes, const std::vector<std::int64_t>& open, int ranks)
    : sizes_(std::move(sizes)), periodic_(sizes_.size(), true) {
  std::optional<std::int64_t> points = 1;
  std::string text;
  for (const std::int64_t n : sizes_) {
    if (n < 1) throw std::invalid_argument("a grid has no side of " + std::to_string(n));
    points = points ? checked_product(*points, n) : points;
    text += (text.empty() ? "[" : ", ") + std::to_string(n);
  }
  if (points != ranks)
    throw std::invalid_argument("grid " + text + "] has " + (points ? std::to_string(*points) : "too many") +
                                " places for " + std::to_string(ranks) + " ranks");
  for (const std::int64_t d : open) {
    if (d < 0 || d >= dimensions())
      throw std::invalid_argument("there is no dimension " + std::to_string(d) + " to be open: a grid " + text +
                                  "] has 0 .. " + std::to_string(dimensions() - 1));
    periodic_[static_cast<std::size_t>(d)] = false;
  }
}

std::optional<int> ProcessGrid::neighbour(int rank, int dimension, int step) const {
  const auto d = static_cast<std::size_t>(dimension);
  std::int64_t stride = 1;
  for (std::size_t i = 0; i < d; ++i) stride *= sizes_[i];
  const std::int64_t at = rank / stride % sizes_[d];
  const std::int64_t to = at + step;
  if (!periodic_[d] && (to < 0 || to >= sizes_[d])) return std::nullopt;
  return static_cast<int>(rank + ((to + sizes_[d]) % sizes_[d] - at) * stride);
}

}  // namespace tsunagi::scenarios
