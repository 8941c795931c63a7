// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "comm/collectives/call.hpp"
#include "comm/collectives/participant.hpp"

namespace tsunagi::comm {

/// Blocks by rank that lie one behind the other in a buffer.
class Blocks {
 public:
  /// Those of a scatter, gather or allgather, or those sent in an all-to-all: as long as the call's sizes say, or all
  /// alike.
  Blocks(int ranks, const CollectiveCall& c) : Blocks(ranks, c.sizes, c.weight(ranks)) {}
  Blocks(int ranks, const std::vector<Bytes>& sizes, Bytes each) : begins_(1) {
    for (int i = 0; i < ranks; ++i)
      begins_.push_back(begins_.back() + (sizes.empty() ? each : sizes[static_cast<std::size_t>(i)]));
  }
  /// `n` bytes in as many pieces of whole elements as there are ranks, as alike as possible, the longer ones first; if
  /// the last element is cut short already, it stays so.
  static Blocks split(int ranks, Bytes n, Bytes element);
  /// The same blocks, one behind the other from that of rank `root` on, round to the one before it.
  Blocks from(int root) const;

  Bytes begin(int i) const { return begins_[static_cast<std::size_t>(i)]; }
  Bytes size(int i) const { return begin(i + 1) - begin(i); }
  /// Blocks `first` .. `last` - 1.
  Bytes size(int first, int last) const { return begin(last) - begin(first); }
  Bytes whole() const { return begins_.back(); }
  Buffer of(const Buffer& b, int i) const { return part(b, begin(i), size(i)); }
  Buffer of(const Buffer& b, int first, int last) const { return part(b, begin(first), size(first, last)); }

 private:
  std::vector<Bytes> begins_;
};

/// A buffer in segments: all as long as asked for but the last, no element cut.
class Segments {
 public:
  /// Why the segments of a call are none; empty: they are.
  static std::string refusal(int ranks, const CollectiveCall& c);
  Segments(Bytes n, Bytes segment, Bytes element = Bytes(1))
      : whole_(n), each_(std::max(element, element * (segment / element))), count_(units_of(n, each_)) {}
  std::int64_t count() const { return count_; }
  Bytes each() const { return each_; }
  Buffer of(const Buffer& b, std::int64_t i) const { return part(b, each_ * i, std::min(each_, whole_ - each_ * i)); }

 private:
  Bytes whole_;
  Bytes each_;
  std::int64_t count_;
};

}  // namespace tsunagi::comm
