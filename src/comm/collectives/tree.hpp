// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
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

/// A place in a k-nomial tree over places 0 .. ranks - 1: in numbers of base k a child has one more digit than its
/// parent, below the lowest that the parent has.
class Knomial {
 public:
  Knomial(int place, int ranks, int radix) : place_(place), ranks_(ranks), radix_(radix) {
    while (span_ < ranks && place / span_ % radix == 0) span_ *= radix;
  }
  /// Of all places but 0.
  int parent() const { return static_cast<int>(place_ - place_ / span_ % radix_ * span_); }
  /// From the largest subtrees to the smallest; of equally large ones the nearest first.
  std::vector<int> largest_first() const {
    std::vector<int> out;
    for (std::int64_t each = span_ / radix_; each > 0; each /= radix_)
      for (std::int64_t i = 1; i < radix_ && place_ + each * i < ranks_; ++i)
        out.push_back(static_cast<int>(place_ + each * i));
    return out;
  }

 private:
  int place_;
  int ranks_;
  int radix_;
  std::int64_t span_ = 1;
};

}  // namespace tsunagi::comm
