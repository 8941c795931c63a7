// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "flow/credits.hpp"
#include "flow/ring.hpp"
#include "units/time.hpp"

namespace tsunagi::net {

/// A receive buffer of one class that nobody keeps from flooding: it takes what it has room for. Pure.
class ReceiveBuffer {
 public:
  explicit ReceiveBuffer(flow::Credits size) : room_(size) {}

  /// A packet of `cost` arrives at `now`: false if there is no room. What leaves at `now` is still there, because that
  /// may not be known yet.
  bool admit(flow::Credits cost, Time now) {
    while (!leaving_.empty() && leaving_.front().when < now) room_.refund(leaving_.take_front().credits);
    if (!room_.covers(cost)) return false;
    room_.spend(cost);
    return true;
  }
  /// Space gets free at `when`, not earlier than any `now` asked for.
  void leaves(Time when, flow::Credits credits) { flow::push_by_time(leaving_, Leaving{when, credits}); }
  /// Nothing is in it once all that is known to leave has left.
  bool empty() const {
    flow::CreditAccount room = room_;
    for (std::size_t i = 0; i < leaving_.size(); ++i) room.refund(leaving_[i].credits);
    return !room.finite() || room.all_home();
  }

 private:
  struct Leaving {
    Time when;
    flow::Credits credits;
  };
  flow::CreditAccount room_;
  flow::Ring<Leaving> leaving_;
};

}  // namespace tsunagi::net
