// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

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
    change(ready, 1);
    change(granted, -1);
    while (changes_.size() - first_ > held_back) tell_first(tell);
    if (first_ < held_back) return;
    changes_.erase(changes_.begin(), changes_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
  /// Tells all that is held back.
  template <class Tell>
  void finish(Tell tell) {
    while (first_ < changes_.size()) tell_first(tell);
  }

 private:
  static constexpr std::size_t held_back = 512;
  struct Change {
    Time when;
    std::int64_t by;
  };

  /// Mostly among the last ones.
  void change(Time when, std::int64_t by) {
    auto place = changes_.end();
    const auto begin = changes_.begin() + static_cast<std::ptrdiff_t>(first_);
    while (place != begin && std::prev(place)->when >= when) --place;
    if (place != changes_.end() && place->when == when)
      place->by += by;
    else
      changes_.insert(place, {when, by});
  }

  template <class Tell>
  void tell_first(Tell tell) {
    const Change first = changes_[first_++];
    told_ = first.when;
    waiting_ += first.by;
    if (first.by != 0) tell(told_, waiting_);
  }

  std::vector<Change> changes_;  // in order of time, those before `first_` told
  std::size_t first_ = 0;
  std::int64_t waiting_ = 0;
  Time told_;
};

}  // namespace tsunagi::trace
