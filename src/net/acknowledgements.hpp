// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "flow/ring.hpp"
#include "net/bit_errors.hpp"
#include "net/link_timeline.hpp"
#include "net/specs.hpp"

namespace tsunagi::net {

/// ACKs and NAKs that the receiver of one direction owes its sender, and the sender's replay buffer (PCI Express Base
/// Specification 3.5.2, 3.5.3). They travel as link-layer packets in the reverse direction. Pure arithmetic.
class Acknowledgements {
 public:
  explicit Acknowledgements(const WireSpec& wire) : wire_(&wire) {}

  /// A packet of `size` bytes was sent and will have arrived at `tail`.
  void sent(Time tail, Bytes size) {
    if (!wire_->link_layer.acks) return;
    replay_used_ += size;
    if (tail <= covered_until_ && !acks_.empty()) {  // an ACK that was placed ahead of time covers it, too
      acks_.back().size += size;
      return;
    }
    unacknowledged_.push_back({tail, size});
    ack_due_ = std::min(ack_due_, tail + wire_->link_layer.ack_delay);
  }
  /// A packet arrived corrupted at `tail`: a NAK is due at once. Returns when the sender can replay,
  /// the reverse wire being free from `reverse_free` on.
  Time corrupted(Time tail, Time reverse_free, BitErrors& errors);

  /// When the next one falls due, or the next ACK; max: none.
  Time next_due() const { return naks_.empty() ? ack_due_ : std::min(naks_.front(), ack_due_); }
  Time ack_due() const { return ack_due_; }
  /// Puts the one that `next_due` tells on the reverse wire; `errors`: of that wire, if any.
  void send_next(LinkTimeline& reverse, BitErrors* errors, const LinkObserver& observer);

  /// When the next ACK that was sent reaches the sender; max: none is under way.
  Time told() const { return acks_.empty() ? Time::max() : acks_.front().when; }
  /// Earliest time at which one may; max: none is on its way.
  Time next_told(const LinkTimeline& reverse) const {
    if (!acks_.empty() || ack_due_ == Time::max()) return told();
    // Never too late: packets already granted may lie ahead in time with a gap before them.
    return wire_->told_at(ack_due_ + reverse.duration(wire_->link_layer.dllp));
  }
  /// The sender knows what has reached it by `now`.
  void harvest(Time now) {
    while (!acks_.empty() && acks_.front().when <= now) replay_used_ -= acks_.take_front().size;
  }
  /// The first time after `t` at which one that was sent reaches the sender; max: none is known.
  Time told_after(Time t) const {
    for (std::size_t i = 0; i < acks_.size(); ++i)
      if (acks_[i].when > t) return acks_[i].when;
    return Time::max();
  }
  /// Room for a packet of `size` in the replay buffer, with the acknowledgements that come by `told`.
  bool has_space(Bytes size, Time told = Time::from_fs(-1)) const {
    const Bytes buffer = wire_->link_layer.replay_buffer;
    if (buffer == Bytes::zero()) return true;
    Bytes used = replay_used_;
    for (std::size_t i = 0; i < acks_.size() && acks_[i].when <= told; ++i) used -= acks_[i].size;
    return used == Bytes::zero() || used + size <= buffer;
  }
  /// Duplicates that the sender puts on the wire because an ACK was lost: due by `now`, in bytes (0: none).
  Bytes take_duplicates(Time now);

 private:
  struct Unacknowledged {
    Time tail;
    Bytes size;
  };
  struct Ack {
    Time when;
    Bytes size;
  };
  const WireSpec* wire_;
  flow::Ring<Unacknowledged> unacknowledged_;
  flow::Ring<Ack> acks_;
  flow::Ring<Time> naks_;
  Time ack_due_ = Time::max();
  Time covered_until_ = Time::from_fs(-1);  // the last ACK covers what is there by then
  Time duplicates_due_ = Time::max();
  Bytes replay_used_;
};

}  // namespace tsunagi::net
