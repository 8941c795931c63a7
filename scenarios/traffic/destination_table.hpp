// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stats/random.hpp"

namespace tsunagi::scenarios {

/// For each sender where its messages may go, and how likely: by whole numbers, so that draws are the same everywhere.
class DestinationTable {
 public:
  struct Entry {
    int to = 0;
    std::int64_t weight = 0;
  };

  /// The next sender's destinations, in ascending order; none of a weight of 0. Their weights' sum fits 63 bits.
  void add(const std::vector<Entry>& destinations);
  int senders() const { return static_cast<int>(end_.size()); }
  /// Of all destinations of a sender.
  std::int64_t sum(int from) const;
  std::int64_t weight(int from, int to) const;
  /// A destination of a sender that has any, with the probability of its weight over their sum. One draw and a binary
  /// search.
  int draw(int from, stats::RandomStream& random) const;

 private:
  struct Step {
    std::int64_t up_to;  // sum of the weights of the sender's destinations up to this one
    int to;
  };
  std::size_t begin(int from) const { return from == 0 ? 0 : end_[static_cast<std::size_t>(from) - 1]; }
  std::size_t end(int from) const { return end_[static_cast<std::size_t>(from)]; }

  std::vector<Step> steps_;       // of one sender behind the other
  std::vector<std::size_t> end_;  // of each sender's
};

}  // namespace tsunagi::scenarios
