// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "stats/random.hpp"

namespace tsunagi::scenarios {

/// Who sends to whom (Dally and Towles, "Principles and Practices of Interconnection Networks", table 3.1). Patterns of
/// coordinates take a rank as digits whose bases are the grid's sizes, the first running fastest.
enum class Pattern : std::uint8_t {
  uniform,         // every other rank alike
  permutation,     // a random one without fixed points, drawn once
  transpose,       // (x, y) to (y, x); ranks are a square
  bit_complement,  // all bits of the rank inverted; ranks are a power of two
  tornado,         // nearly half-way round in each dimension: x to x + ceil(k/2) - 1
  neighbour,       // the next in each dimension
  hotspot,         // uniform, but a share goes to one rank
  incast,          // all to one rank, which sends nothing
};

struct PatternChoice {
  Pattern pattern = Pattern::uniform;
  std::vector<std::int64_t> grid;  // empty: one dimension of all ranks
  int target = 0;                  // of hotspot and incast
  std::int64_t share = 0;          // of hotspot, in a million
  std::uint64_t seed = 1;
};

/// Destinations of one pattern.
class TrafficPattern {
 public:
  /// Throws std::invalid_argument, saying why, if the pattern does not fit that number of ranks.
  TrafficPattern(const PatternChoice& c, int ranks);
  /// Whether the rank sends at all (not to itself, which some patterns would make it do).
  bool sends(int rank) const { return fixed_.empty() || fixed_[static_cast<std::size_t>(rank)] != rank; }
  /// Where its next message goes.
  int destination(int rank, stats::RandomStream& random) const;
  /// `weight(from, to)` of `whole()` parts of what a rank sends go from one to the other, on average.
  std::int64_t weight(int from, int to) const;
  std::int64_t whole() const;

 private:
  int senders() const;
  int other(int rank, stats::RandomStream& random) const;
  PatternChoice choice_;
  int ranks_;
  std::vector<int> fixed_;  // a rank's destination; empty: drawn for each message
};

}  // namespace tsunagi::scenarios
