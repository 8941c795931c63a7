// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/traffic/destination_table.hpp"
#include "scenarios/traffic/offered_load.hpp"
#include "stats/random.hpp"

namespace tsunagi::scenarios {

/// Who sends to whom (Dally and Towles, "Principles and Practices of Interconnection Networks", table 3.1). Patterns of
/// coordinates take a rank as digits whose bases are the grid's sizes, the first running fastest.
enum class Pattern : std::uint8_t {
  uniform,            // every other rank alike
  permutation,        // a random one without fixed points, drawn once
  transpose,          // (x, y) to (y, x); ranks are a square
  bit_complement,     // all bits of the rank inverted; ranks are a power of two
  bit_reverse,        // the bits of the rank backwards; ranks are a power of two
  shuffle,            // the bits of the rank rotated left by one; ranks are a power of two
  shift,              // rank r to r + distance, round the end
  tornado,            // nearly half-way round in each dimension: x to x + ceil(k/2) - 1
  neighbour,          // the next in each dimension
  nearest_neighbour,  // up and down in each dimension, drawn evenly; nobody beyond open ends
  hotspot,            // uniform, but a share goes to one rank
  incast,             // all to one rank, which sends nothing
  matrix,             // by weights that are given
};

struct PatternChoice {
  Pattern pattern = Pattern::uniform;
  std::vector<std::int64_t> grid;  // empty: one dimension of all ranks
  int target = 0;                  // of hotspot and incast
  std::int64_t share = 0;          // of hotspot, in a million
  std::uint64_t seed = 1;
  int distance = 1;                 // of shift
  std::vector<std::int64_t> open;   // of nearest_neighbour: dimensions whose ends do not meet
  std::vector<std::string> matrix;  // of matrix: read_traffic_matrix
  std::vector<std::int64_t> rates;  // of ranks against each other, again and again; empty: all alike
};

/// Destinations of one pattern, and what the ranks offer.
class TrafficPattern {
 public:
  /// Throws std::invalid_argument, saying why, if the pattern does not fit that number of ranks; config::ConfigError
  /// for a matrix or rates that do not.
  TrafficPattern(const PatternChoice& c, int ranks);
  /// Whether the rank sends at all (not to itself, which some patterns would make it do).
  bool sends(int rank) const { return share(rank) > 0; }
  /// What it offers of what the ranks that offer most do, in a million, rounded to the nearest.
  std::int64_t share(int rank) const { return shares_[static_cast<std::size_t>(rank)]; }
  /// The least that any rank that sends offers.
  std::int64_t least_share() const;
  /// Where its next message goes; of a rank that sends.
  int destination(int rank, stats::RandomStream& random) const;
  /// `weight(from, to)` of `whole()` parts of what a rank that offers most sends go from one to the other, on average.
  std::int64_t weight(int from, int to) const { return weight_at_full(from, to) * rate(from); }
  std::int64_t whole() const { return whole_ * most_rate_; }

  static constexpr std::int64_t whole_share = OfferedLoad::whole;

 private:
  void set_table(DestinationTable table);
  void set_shares();
  /// Whether there is anybody to send to, whatever its rate.
  bool has_destination(int rank) const;
  int other(int rank, stats::RandomStream& random) const;
  std::int64_t weight_at_full(int from, int to) const;
  std::int64_t rate(int rank) const {
    return choice_.rates.empty() ? 1 : choice_.rates[static_cast<std::size_t>(rank) % choice_.rates.size()];
  }

  PatternChoice choice_;
  int ranks_;
  std::vector<int> fixed_;  // a rank's destination; else
  DestinationTable table_;  // with senders: what destinations are drawn from; else the pattern says them
  std::vector<std::int64_t> shares_;
  std::int64_t whole_ = 1;      // of weight_at_full
  std::int64_t most_rate_ = 1;  // of a rank that sends
};

}  // namespace tsunagi::scenarios
