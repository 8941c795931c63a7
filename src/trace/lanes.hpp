// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "units/time.hpp"

namespace tsunagi::trace {

/// Tracks of one kind for spans that may overlap, as many as it takes: on each, a span that is told later begins when
/// the one before has ended, or after that.
class Lanes {
 public:
  /// The track for a span; `make` makes one more.
  template <class Make>
  std::uint64_t track(Time begin, Time end, Make make) {
    if (lanes_.empty() || lanes_.front().until > begin) {
      lanes_.push_back({end, make()});
    } else if (lanes_.size() == 1) {
      lanes_.front().until = end;
      return lanes_.front().track;
    } else {
      std::pop_heap(lanes_.begin(), lanes_.end());
      lanes_.back().until = end;
    }
    const std::uint64_t track = lanes_.back().track;
    std::push_heap(lanes_.begin(), lanes_.end());
    return track;
  }

 private:
  struct Lane {
    Time until;
    std::uint64_t track;
    /// A heap has its largest on top: that is to be the one that ended first.
    bool operator<(const Lane& o) const { return until != o.until ? until > o.until : track > o.track; }
  };

  std::vector<Lane> lanes_;
};

}  // namespace tsunagi::trace
