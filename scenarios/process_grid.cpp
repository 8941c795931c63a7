// SPDX-License-Identifier: Apache-2.0
#include "scenarios/process_grid.hpp"

#include <algorithm>
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

namespace {

/// `ranks` as so many sides, none above `most`, the longest first and as short as can be; nothing: there are none.
std::optional<std::vector<std::int64_t>> sides_up_to(std::int64_t most, std::int64_t ranks, int dimensions) {
  if (dimensions == 0) return ranks == 1 ? std::optional(std::vector<std::int64_t>{}) : std::nullopt;
  for (std::int64_t side = 1; side <= std::min(most, ranks); ++side) {
    if (ranks % side != 0) continue;
    if (auto rest = sides_up_to(side, ranks / side, dimensions - 1)) {
      rest->insert(rest->begin(), side);
      return rest;
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::int64_t> even_grid(std::int64_t ranks, int dimensions) {
  return *sides_up_to(ranks, ranks, dimensions);
}

std::vector<std::int64_t> box_of(std::vector<std::int64_t> routers, int ranks) {
  std::int64_t each = ranks;
  for (const std::int64_t n : routers) {
    if (each % n != 0) return {};
    each /= n;
  }
  if (!routers.empty()) routers.front() *= each;
  return routers;
}

std::vector<std::int64_t> grid_of(const std::vector<std::int64_t>& box, int ranks, int all, int dimensions, int most) {
  std::vector<std::int64_t> out = box_of(box, all);
  const int given = static_cast<int>(out.size());
  if (dimensions == 0) dimensions = given >= 1 && given <= most ? given : 2;
  return given == dimensions && ranks == all ? out : even_grid(ranks, dimensions);
}

std::string grid_text(const std::vector<std::int64_t>& sizes) {
  std::string out;
  for (const std::int64_t n : sizes) out += (out.empty() ? "" : "x") + std::to_string(n);
  return out;
}

}  // namespace tsunagi::scenarios
