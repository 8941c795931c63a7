// SPDX-License-Identifier: Apache-2.0
#include "scenarios/traffic/traffic_pattern.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>

#include "config/error_at.hpp"
#include "scenarios/process_grid.hpp"
#include "scenarios/traffic/partners.hpp"
#include "scenarios/traffic/traffic_matrix.hpp"
#include "units/wide.hpp"

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

/// The highest bit of a rank's number.
int highest_bit(const char* pattern, int ranks) {
  if ((ranks & (ranks - 1)) != 0)
    throw std::invalid_argument(std::string(pattern) + " needs a power of two of ranks, not " + std::to_string(ranks));
  return ranks / 2;
}

int bits_reversed(int rank, int highest) {
  int out = 0;
  for (int bit = 1; bit <= highest; bit *= 2) out = 2 * out + ((rank & bit) != 0 ? 1 : 0);
  return out;
}

int fixed_destination(const PatternChoice& c, int ranks, int rank) {
  switch (c.pattern) {
    case Pattern::transpose: {
      const int side = side_of_square(ranks);
      return rank % side * side + rank / side;
    }
    case Pattern::bit_complement:
      return 2 * highest_bit("bit_complement", ranks) - 1 - rank;
    case Pattern::bit_reverse:
      return bits_reversed(rank, highest_bit("bit_reverse", ranks));
    case Pattern::shuffle: {
      const int highest = highest_bit("shuffle", ranks);
      return 2 * rank % ranks + ((rank & highest) != 0 ? 1 : 0);
    }
    case Pattern::shift:
      return (rank + c.distance % ranks) % ranks;
    case Pattern::tornado:
      return shifted(rank, c.grid, [](std::int64_t k) { return (k + 1) / 2 - 1; });
    case Pattern::neighbour:
      return shifted(rank, c.grid, [](std::int64_t) { return 1; });
    default:
      return c.target;  // incast
  }
}

/// How often each rank next to this one is up or down in some dimension: twice in a ring of two.
std::map<int, std::int64_t> next_to(int rank, const ProcessGrid& grid) {
  std::map<int, std::int64_t> out;
  for (int d = 0; d < grid.dimensions(); ++d)
    for (const int step : {1, -1})
      if (const auto to = grid.neighbour(rank, d, step); to && *to != rank) ++out[*to];
  return out;
}

/// Everybody sends as much as the others, whatever its number of neighbours: the rows have one sum.
DestinationTable nearest_neighbours(const ProcessGrid& grid, int ranks) {
  std::vector<std::map<int, std::int64_t>> all;
  std::vector<std::int64_t> number;
  std::int64_t sum = 1;
  for (int r = 0; r < ranks; ++r) {
    all.push_back(next_to(r, grid));
    number.push_back(0);
    for (const auto& [to, times] : all.back()) number.back() += times;
    if (number.back() > 0) sum = std::lcm(sum, number.back());
  }
  DestinationTable out;
  for (std::size_t r = 0; r < all.size(); ++r) {
    std::vector<DestinationTable::Entry> row;
    for (const auto& [to, times] : all[r]) row.push_back({to, times * (sum / number[r])});
    out.add(row);
  }
  return out;
}

}  // namespace

TrafficPattern::TrafficPattern(const PatternChoice& c, int ranks) : choice_(c), ranks_(ranks) {
  if (choice_.grid.empty()) choice_.grid = {ranks};
  if (c.target >= ranks)
    throw std::invalid_argument("\"target\" is rank " + std::to_string(c.target) + " of " + std::to_string(ranks));
  const ProcessGrid grid(choice_.grid, choice_.open, ranks);
  switch (c.pattern) {
    case Pattern::uniform:
      whole_ = ranks - 1;
      break;
    case Pattern::hotspot:
      whole_ = whole_share * (ranks - 1);
      break;
    case Pattern::permutation: {
      stats::RandomStream random(c.seed, "traffic permutation");
      fixed_ = random_permutation(ranks, random);
      break;
    }
    case Pattern::nearest_neighbour:
      set_table(nearest_neighbours(grid, ranks));
      break;
    case Pattern::matrix:
      set_table(read_traffic_matrix(c.matrix, ranks));
      break;
    default:
      for (int r = 0; r < ranks; ++r) fixed_.push_back(fixed_destination(choice_, ranks, r));
  }
  set_shares();
}

void TrafficPattern::set_table(DestinationTable table) {
  table_ = std::move(table);
  for (int r = 0; r < ranks_; ++r) whole_ = std::max(whole_, table_.sum(r));
}

void TrafficPattern::set_shares() {
  const auto n = static_cast<std::int64_t>(choice_.rates.size());
  if (n > 0 && ranks_ % n != 0)
    throw config::error_at("/scenario/rates", std::to_string(n) + " rates for " + std::to_string(ranks_) +
                                                  " ranks: they are repeated, but not so often that it comes out even");
  std::int64_t senders = 0, most = 0;
  for (int r = 0; r < ranks_; ++r) {
    if (!has_destination(r)) continue;
    ++senders;
    most = std::max(most, rate(r));
  }
  if (senders == 0) throw std::invalid_argument("nobody would send: the pattern maps every rank to itself");
  if (most == 0) throw config::error_at("/scenario/rates", "nobody would send: the rates of all that could are 0");
  most_rate_ = most;
  for (int r = 0; r < ranks_; ++r) {
    const Wide sum = table_.senders() > 0 ? table_.sum(r) : has_destination(r) ? whole_ : 0;
    const Wide whole = static_cast<Wide>(whole_) * most;
    shares_.push_back(static_cast<std::int64_t>((sum * rate(r) * whole_share + whole / 2) / whole));
  }
}

bool TrafficPattern::has_destination(int rank) const {
  if (table_.senders() > 0) return table_.sum(rank) > 0;
  return fixed_.empty() || fixed_[static_cast<std::size_t>(rank)] != rank;
}

std::int64_t TrafficPattern::least_share() const {
  std::int64_t least = whole_share;
  for (const std::int64_t s : shares_)
    if (s > 0) least = std::min(least, s);
  return least;
}

int TrafficPattern::other(int rank, stats::RandomStream& random) const {
  const auto r = static_cast<int>(random.below(ranks_ - 1));
  return r < rank ? r : r + 1;
}

int TrafficPattern::destination(int rank, stats::RandomStream& random) const {
  if (!fixed_.empty()) return fixed_[static_cast<std::size_t>(rank)];
  if (table_.senders() > 0) return table_.draw(rank, random);
  if (choice_.pattern == Pattern::hotspot && rank != choice_.target && random.chance(choice_.share))
    return choice_.target;
  return other(rank, random);
}

std::int64_t TrafficPattern::weight_at_full(int from, int to) const {
  if (from == to) return 0;
  if (!fixed_.empty()) return fixed_[static_cast<std::size_t>(from)] == to ? 1 : 0;
  if (table_.senders() > 0) return table_.weight(from, to);
  if (choice_.pattern == Pattern::uniform) return 1;
  if (from == choice_.target) return whole_share;
  return whole_share - choice_.share + (to == choice_.target ? choice_.share * (ranks_ - 1) : 0);
}

}  // namespace tsunagi::scenarios
