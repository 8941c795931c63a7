// SPDX-License-Identifier: Apache-2.0
#include "scenarios/traffic_pattern.hpp"

#include <optional>
#include <stdexcept>
#include <string>

#include "scenarios/partners.hpp"
#include "units/checked.hpp"

namespace tsunagi::scenarios {

namespace {

/// Applies `shift(k)` to each coordinate of a rank.
template <class Shift>
int shifted(int rank, const std::vector<std::int64_t>& grid, Shift&& shift) {
  std::int64_t to = 0, stride = 1, rest = rank;
  for (const std::int64_t k : grid) {
    to += (rest % k + shift(k)) % k * stride;
    rest /= k;
    stride *= k;
  }
  return static_cast<int>(to);
}

int side_of_square(int ranks) {
  int side = 1;
  while (side * side < ranks) ++side;
  if (side * side != ranks)
    throw std::invalid_argument("transpose needs a square number of ranks, not " + std::to_string(ranks));
  return side;
}

int fixed_destination(const PatternChoice& c, const std::vector<std::int64_t>& grid, int ranks, int rank) {
  switch (c.pattern) {
    case Pattern::transpose: {
      const int side = side_of_square(ranks);
      return rank % side * side + rank / side;
    }
    case Pattern::bit_complement:
      if ((ranks & (ranks - 1)) != 0)
        throw std::invalid_argument("bit_complement needs a power of two of ranks, not " + std::to_string(ranks));
      return ~rank & (ranks - 1);
    case Pattern::tornado:
      return shifted(rank, grid, [](std::int64_t k) { return (k + 1) / 2 - 1; });
    case Pattern::neighbour:
      return shifted(rank, grid, [](std::int64_t) { return 1; });
    default:
      return c.target;  // incast
  }
}

}  // namespace

TrafficPattern::TrafficPattern(const PatternChoice& c, int ranks) : choice_(c), ranks_(ranks) {
  std::vector<std::int64_t> grid = c.grid.empty() ? std::vector<std::int64_t>{ranks} : c.grid;
  std::optional<std::int64_t> cells = 1;
  for (const std::int64_t k : grid) {
    if (k < 1) throw std::invalid_argument("\"grid\" has a side of " + std::to_string(k));
    cells = cells ? checked_product(*cells, k) : cells;
  }
  if (cells != ranks)
    throw std::invalid_argument("\"grid\" has " + (cells ? std::to_string(*cells) : "too many") + " places for " +
                                std::to_string(ranks) + " ranks");
  if (c.target >= ranks)
    throw std::invalid_argument("\"target\" is rank " + std::to_string(c.target) + " of " + std::to_string(ranks));
  if (c.pattern == Pattern::uniform || c.pattern == Pattern::hotspot) return;
  if (c.pattern == Pattern::permutation) {
    stats::RandomStream random(c.seed, "traffic permutation");
    fixed_ = random_permutation(ranks, random);
    return;
  }
  for (int r = 0; r < ranks; ++r) fixed_.push_back(fixed_destination(c, grid, ranks, r));
  if (senders() == 0) throw std::invalid_argument("nobody would send: the pattern maps every rank to itself");
}

int TrafficPattern::senders() const {
  int n = 0;
  for (int r = 0; r < ranks_; ++r) n += sends(r) ? 1 : 0;
  return n;
}

int TrafficPattern::other(int rank, stats::RandomStream& random) const {
  const auto r = static_cast<int>(random.below(ranks_ - 1));
  return r < rank ? r : r + 1;
}

int TrafficPattern::destination(int rank, stats::RandomStream& random) const {
  if (!fixed_.empty()) return fixed_[static_cast<std::size_t>(rank)];
  if (choice_.pattern == Pattern::hotspot && rank != choice_.target && random.chance(choice_.share))
    return choice_.target;
  return other(rank, random);
}

std::int64_t TrafficPattern::whole() const {
  if (!fixed_.empty()) return 1;
  return choice_.pattern == Pattern::hotspot ? std::int64_t{1'000'000} * (ranks_ - 1) : ranks_ - 1;
}

std::int64_t TrafficPattern::weight(int from, int to) const {
  if (from == to) return 0;
  if (!fixed_.empty()) return fixed_[static_cast<std::size_t>(from)] == to ? 1 : 0;
  if (choice_.pattern == Pattern::uniform) return 1;
  if (from == choice_.target) return 1'000'000;
  return 1'000'000 - choice_.share + (to == choice_.target ? choice_.share * (ranks_ - 1) : 0);
}

}  // namespace tsunagi::scenarios
