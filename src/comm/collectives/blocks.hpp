// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "comm/collectives/catalog.hpp"

namespace tsunagi::comm {

/// Blocks by rank that lie one behind the other in a buffer.
class Blocks {
 public:
  /// Those of a scatter, gather or allgather, or those sent in an all-to-all: as long as the call's sizes say, or all
  /// alike, as long as what each rank has.
  Blocks(int ranks, const CollectiveCall& c) : Blocks(ranks, c.sizes, c.weight()) {}
  Blocks(int ranks, const std::vector<Bytes>& sizes, Bytes each) : begins_(1) {
    for (int i = 0; i < ranks; ++i)
      begins_.push_back(begins_.back() + (sizes.empty() ? each : sizes[static_cast<std::size_t>(i)]));
  }
  /// `n` bytes in as many pieces of whole elements as there are ranks, as alike as possible, the longer ones first.
  static Blocks split(int ranks, Bytes n, Bytes element);

  Bytes begin(int i) const { return begins_[static_cast<std::size_t>(i)]; }
  Bytes size(int i) const { return begin(i + 1) - begin(i); }
  Bytes whole() const { return begins_.back(); }
  Buffer of(const Buffer& b, int i) const { return part(b, begin(i), size(i)); }
  /// Blocks `first` .. `last` - 1.
  Buffer of(const Buffer& b, int first, int last) const { return part(b, begin(first), begin(last) - begin(first)); }

 private:
  std::vector<Bytes> begins_;
};

}  // namespace tsunagi::comm
