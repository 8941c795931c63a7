// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "net/link_layer/acknowledgements.hpp"
#include "net/link_layer/credit_updates.hpp"

namespace tsunagi::net {

/// What the receiver of one direction owes its sender: acknowledgements of packets and updates of credits. `settle`
/// places on the reverse wire what is due by a time, also ahead of time.
struct LinkLayer {
  LinkLayer(const WireSpec& wire, int classes, const std::vector<flow::Credits>& buffers)
      : acks(wire), credits(wire, classes, buffers) {}

  /// When the next link-layer packet is due on the reverse wire; max: none.
  Time next_due() const { return std::min(acks.next_due(), credits.next_due()); }
  /// Places everything due by `now` on the reverse wire, in the order of due times, and tells `observer`. `errors`: of
  /// that wire, if any. Returns how many.
  int settle(Time now, LinkTimeline& reverse, BitErrors* errors, const LinkObserver& observer = {}) {
    for (int placed = 0;; ++placed) {
      const Time ack = acks.next_due();
      const Time update = credits.next_due();
      const Time due = std::min(ack, update);
      if (due == Time::max() || due > now) return placed;
      if (ack <= update)
        acks.send_next(reverse, errors, observer);
      else
        credits.send_next(reverse, errors, observer);
    }
  }

  Acknowledgements acks;
  CreditUpdates credits;
};

}  // namespace tsunagi::net
