// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "comm/collectives/blocks.hpp"
#include "comm/collectives/tree.hpp"

namespace tsunagi::comm {

/// Memory beside the buffers of a binomial scatter, also of a binomial gather.
Bytes binomial_scatter_scratch(int ranks, const CollectiveCall& c);

/// Where the blocks of a binomial tree's subtrees lie: at the root in its buffer, by rank, but for a subtree that goes
/// from the last rank to the first; else in memory beside the buffers, by place.
class SubtreeBlocks {
 public:
  SubtreeBlocks(const Participant& me, const CollectiveCall& c)
      : places_{me.size(), c.root}, by_rank_(me.size(), c), by_place_(by_rank_.from(c.root)) {}
  const Places& places() const { return places_; }
  Bytes size(int first, int last) const { return by_place_.size(first, last); }
  /// Places `first` .. `last` - 1 are ranks on both sides of rank 0.
  bool round(int first, int last) const { return places_.rank(first) > places_.rank(last - 1); }
  /// In the root's buffer; not if it goes round.
  Buffer of(const Buffer& b, int first, int last) const {
    return by_rank_.of(b, places_.rank(first), places_.rank(last - 1) + 1);
  }
  /// Of one that goes round: the blocks up to the last rank, those from rank 0 on.
  Buffer high(const Buffer& b, int first) const { return by_rank_.of(b, places_.rank(first), places_.ranks); }
  Buffer low(const Buffer& b, int last) const { return by_rank_.of(b, 0, places_.rank(last - 1) + 1); }

 private:
  Places places_;
  Blocks by_rank_;
  Blocks by_place_;
};

}  // namespace tsunagi::comm
