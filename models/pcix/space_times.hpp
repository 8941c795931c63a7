// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "flow/ring.hpp"
#include "units/time.hpp"

namespace tsunagi::pcix {

/// When space is known to get free that somebody may wait for.
class SpaceTimes {
 public:
  void add(Time when) { flow::push_by_time(times_, One{when}); }
  /// The next one after `now`, what lies before being over; max: none is known.
  Time next(Time now) {
    while (!times_.empty() && times_.front().when <= now) times_.pop_front();
    return times_.empty() ? Time::max() : times_.front().when;
  }

 private:
  struct One {
    Time when;
  };
  flow::Ring<One> times_;
};

}  // namespace tsunagi::pcix
