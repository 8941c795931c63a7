// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "comm/collectives/blocks.hpp"
#include "comm/collectives/tree.hpp"

namespace tsunagi::comm {

/// The steps of reductions among 2^n ranks, and how other numbers get there (Rabenseifner 2004; Thakur, Rabenseifner,
/// Gropp 2005): of the first 2 (p - 2^n) places the odd ones hand what they have to the place before and take no
/// further part. Combines in the order of places.
class Folded {
 public:
  Folded(Participant& me, const Places& places);
  /// Number of those who take part: the largest 2^n.
  static int active(int ranks) {
    int out = 1;
    while (out * 2 <= ranks) out *= 2;
    return out;
  }
  /// Memory for what others send; whoever folds needs room for all, the halves less.
  static Bytes temporary(int ranks, Bytes n, Bytes element, bool halves);

  /// Its number among those who take part, by place; -1: it does not.
  int number() const { return number_; }
  int rank_of(int number) const { return places_.rank(number < rest_ ? 2 * number : number + rest_); }

  /// Before: whoever takes no part sends `have`; who takes its part combines it into `have`.
  void fold(const Buffer& have, const Buffer& temporary);
  /// After: whoever took no part gets `have`.
  void unfold(const Buffer& have);
  /// Reduce-scatter of `have` by recursive halving, at distances 1, 2, 4, ...; returns the blocks that are this one's
  /// before each round and behind the last one: [first, last).
  std::vector<std::pair<int, int>> halve(const Buffer& have, const Blocks& blocks, const Buffer& temporary);

 private:
  int partner() const { return places_.rank(places_.of(me_.rank()) ^ 1); }
  bool pairs() const { return places_.of(me_.rank()) < 2 * rest_; }
  Participant& me_;
  Places places_;
  int active_;
  int rest_;
  int number_;
};

}  // namespace tsunagi::comm
