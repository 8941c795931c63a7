// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "flow/ring.hpp"
#include "units/time.hpp"

namespace tsunagi::router {

/// The buffer of one virtual channel at a router's output, in flits: what is in it, and what is known to leave it.
class OutputSpace {
 public:
  OutputSpace() = default;
  explicit OutputSpace(std::int64_t flits) : size_(flits), free_(flits) {}

  /// Whether `flits` fit at `now`. Times must not decrease.
  bool fits(std::int64_t flits, Time now) {
    while (!leaving_.empty() && leaving_.front().when <= now) free_ += leaving_.take_front().flits;
    return flits <= free_;
  }
  /// When they will, by what is known; max: not known.
  Time fits_at(std::int64_t flits) const {
    std::int64_t free = free_;
    for (std::size_t i = 0; i < leaving_.size(); ++i) {
      free += leaving_[i].flits;
      if (flits <= free) return leaving_[i].when;
    }
    return Time::max();
  }
  void take(std::int64_t flits) { free_ -= flits; }
  /// So many leave at `when`, not before what left earlier.
  void leave(std::int64_t flits, Time when) { leaving_.push_back({when, flits}); }
  /// Nothing is in it once all has left that is known to leave.
  bool all_home() const { return fits_at(size_) != Time::max() || free_ == size_; }

 private:
  struct Leaving {
    Time when;
    std::int64_t flits;
  };
  std::int64_t size_ = 0;
  std::int64_t free_ = 0;
  flow::Ring<Leaving> leaving_;
};

}  // namespace tsunagi::router
