// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>

#include "units/time.hpp"

namespace tsunagi::trace {

/// How many packets wait for a channel at each time, from their waits told in the order of their ends. A wait is known
/// when it is over, so changes are held back, some hundreds at most: who waited while that many were served counts
/// from a later time on than it came.
class QueueLength {
 public:
  /// A packet waited from `ready` to `granted`. Calls tell(when, waiting) for changes that are due, in order of time.
  template <class Tell>
  void waited(Time ready, Time granted, Tell tell) {
    ready = std::max(ready, told_);
    if (granted <= ready) return;
    ++changes_[ready];
    --changes_[granted];
    while (changes_.size() > held_back) tell_first(tell);
  }
  /// Tells all that is held back.
  template <class Tell>
  void finish(Tell tell) {
    while (!changes_.empty()) tell_first(tell);
  }

 private:
  static constexpr std::size_t held_back = 512;

  template <class Tell>
  void tell_first(Tell tell) {
    const auto first = changes_.begin();
    told_ = first->first;
    waiting_ += first->second;
    if (first->second != 0) tell(told_, waiting_);
    changes_.erase(first);
  }

  std::map<Time, std::int64_t> changes_;
  std::int64_t waiting_ = 0;
  Time told_;
};

}  // namespace tsunagi::trace
