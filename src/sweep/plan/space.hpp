// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace tsunagi::sweep {

/// Which value each dimension has.
using Indices = std::vector<std::size_t>;

/// The points that some dimensions span, counted with the last dimension fastest.
class Space {
 public:
  Space() = default;
  /// `lengths` of the dimensions, each at least 1.
  explicit Space(std::vector<std::size_t> lengths);

  /// The product of the lengths; at most `limit` + 1.
  std::size_t size() const { return size_; }
  Indices at(std::size_t point) const;

  /// For a few of the dimensions, `chosen`: how many combinations they have, the number of the one that a point has,
  /// and a point that has it (with first values elsewhere).
  std::size_t combinations(const std::vector<std::size_t>& chosen) const;
  std::size_t combination(const std::vector<std::size_t>& chosen, const Indices& point) const;
  Indices point_with(const std::vector<std::size_t>& chosen, std::size_t combination) const;

  static constexpr std::size_t limit = 10'000'000;

 private:
  std::vector<std::size_t> lengths_;
  std::size_t size_ = 1;
};

}  // namespace tsunagi::sweep
