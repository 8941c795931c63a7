// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

namespace tsunagi::comm {

/// Places of ranks as seen from a root: it has place 0, the rank behind it place 1, and so on round.
struct Places {
  int ranks = 1;
  int root = 0;
  int of(int rank) const { return (rank - root + ranks) % ranks; }
  int rank(int place) const { return (place + root) % ranks; }
};

/// A place in a binomial tree over places 0 .. ranks - 1: a child's place is its parent's with one more bit, below the
/// lowest that the parent has. A subtree is consecutive places.
class Binomial {
 public:
  Binomial(int place, int ranks) : place_(place), ranks_(ranks) {
    while (span_ < ranks && (place & span_) == 0) span_ *= 2;
  }
  /// Of all places but 0.
  int parent() const { return place_ - span_; }
  /// Where its subtree, which begins with it, ends.
  int end() const { return std::min(place_ + span_, ranks_); }
  /// From the smallest subtree to the largest.
  std::vector<int> children() const {
    std::vector<int> out;
    for (int bit = 1; bit < span_ && place_ + bit < ranks_; bit *= 2) out.push_back(place_ + bit);
    return out;
  }
  std::vector<int> largest_first() const {
    std::vector<int> out = children();
    std::reverse(out.begin(), out.end());
    return out;
  }

 private:
  int place_;
  int ranks_;
  int span_ = 1;
};

}  // namespace tsunagi::comm
