// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "net/sending/foresight.hpp"
#include "units/time.hpp"

namespace tsunagi::net {

/// How far ahead of simulated time one direction of a wire hands on the packets of a train, what it relied on when it
/// did, and whether what comes later shows that this was wrong. Then the run is done again with less (Foresight).
class Lookahead {
 public:
  Lookahead(Foresight& foresight, std::uint32_t like)
      : reach_(foresight.reach(like)), tried_(reach_), like_(like), foresight_(foresight) {}

  Reach reach() const { return reach_; }
  /// From now on, no further ahead than that.
  void keep_within(Reach r) { reach_ = std::max(reach_, r); }

  /// A packet was handed on that is granted at `at`, later than now; it was ready at `head`.
  void handed_on(Time at, Time head) {
    handed_on_until_ = at;
    handed_on_head_ = head;
  }
  /// The packet that is handed on next, granted at `at`, lacks space before that.
  void waited(Time at) { waited_until_ = at; }
  /// Credits or acknowledgements of up to `at` were counted on before that time.
  void relied_on(Time at) { relied_on_until_ = std::max(relied_on_until_, at); }

  /// A rival is ready then: it would have competed with packets that have been handed on. Of one source the oldest goes
  /// first; `same`: it is the source of the last packet handed on.
  void rival(Time ready, bool same) {
    if (ready <= handed_on_until_ && (!same || ready < handed_on_head_)) refute(Reach::known);
  }
  /// A younger packet of the same source is ready then, which may pass the last packets handed on if those lack space.
  void passes(Time ready) {
    if (ready <= waited_until_) refute(Reach::known);
  }
  /// A link-layer packet of the reverse flow goes on this wire then: it would have gone between packets handed on.
  void link_layer_packet(Time due) {
    if (due <= handed_on_until_) refute(Reach::bounded);
  }
  /// The reverse wire sends a packet now, which moves the credits and acknowledgements that were counted on.
  void reverse_packet(Time now) {
    if (now <= relied_on_until_) refute(Reach::bounded);
    keep_within(Reach::bounded);
  }
  /// Space gets free from `first` to `last`. What gets free first would have been told first.
  void released(Time first, Time last) {
    if (first < std::min(released_until_, relied_on_until_)) refute(Reach::bounded);
    released_until_ = std::max(released_until_, last);
  }

 private:
  void refute(Reach needed) {
    if (tried_ == Reach::single) return;
    if (tried_ >= needed) needed = static_cast<Reach>(static_cast<int>(tried_) + 1);  // that was not enough
    tried_ = needed;
    keep_within(needed);
    foresight_.refute(like_, needed);
  }
  Time handed_on_until_ = Time::from_fs(-1);
  Time handed_on_head_;
  Time waited_until_ = Time::from_fs(-1);
  Reach reach_;
  Reach tried_;  // what the foresight told this one, or was told by it; of others like it more may be known by now
  std::uint32_t like_;  // of all that are like it
  Time relied_on_until_ = Time::from_fs(-1);
  Time released_until_;
  Foresight& foresight_;
};

}  // namespace tsunagi::net
