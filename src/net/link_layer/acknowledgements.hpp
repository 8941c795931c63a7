// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "flow/ring.hpp"
#include "net/link_layer/bit_errors.hpp"
#include "net/link_layer/link_timeline.hpp"
#include "net/specs.hpp"

namespace tsunagi::net {

/// ACKs and NAKs that the receiver of one direction owes its sender, and the sender's replay buffer (PCI Express Base
/// Specification 3.5.2, 3.5.3). They travel as link-layer packets in the reverse direction. Pure arithmetic.
class Acknowledgements {
 public:
  explicit Acknowledgements(const WireSpec& wire) : wire_(&wire) {
    if (wire.link_layer.acks || wire.bit_error_rate > 0) state_ = std::make_unique<State>();
  }

  /// A packet of `size` bytes was sent and will have arrived at `tail`.
  void sent(Time tail, Bytes size) {
    if (!wire_->link_layer.acks) return;
    State& s = *state_;
    s.replay_used += size;
    if (tail <= s.covered_until && !s.acks.empty()) {  // an ACK that was placed ahead of time covers it, too
      s.acks.back().size += size;
      return;
    }
    s.unacknowledged.push_back({tail, size});
    s.ack_due = std::min(s.ack_due, tail + wire_->link_layer.ack_delay);
    due_ = std::min(due_, s.ack_due);
  }
  /// A packet arrived corrupted at `tail`: a NAK is due at once. Returns when the sender can replay,
  /// the reverse wire being free from `reverse_free` on.
  Time corrupted(Time tail, Time reverse_free, BitErrors& errors);
  /// The same of a flit; each of the reverse direction says so, the first that arrives is heard.
  Time corrupted_flit(Time tail, const FlitStream& reverse, BitErrors& errors);

  /// When the next one falls due, or the next ACK; max: none.
  Time next_due() const { return due_; }
  Time ack_due() const { return state_ == nullptr ? Time::max() : state_->ack_due; }
  /// Puts the one that `next_due` tells on the reverse wire; `errors`: of that wire, if any.
  void send_next(LinkTimeline& reverse, BitErrors* errors, const LinkObserver& observer);

  /// When the next ACK that was sent reaches the sender; max: none is under way.
  Time told() const { return under_way() ? state_->acks.front().when : Time::max(); }
  /// Earliest time at which one may; max: none is on its way.
  Time next_told(const LinkTimeline& reverse) const {
    if (under_way() || ack_due() == Time::max()) return told();
    // Never too late: packets already granted may lie ahead in time with a gap before them.
    return wire_->told_at(ack_due() + reverse.duration(wire_->link_layer.dllp));
  }
  /// The sender knows what has reached it by `now`.
  void harvest(Time now) {
    while (told() <= now && under_way()) state_->replay_used -= state_->acks.take_front().size;
  }
  /// The first time after `t` at which one that was sent reaches the sender; max: none is known.
  Time told_after(Time t) const {
    if (state_ == nullptr) return Time::max();
    const flow::Ring<Ack>& acks = state_->acks;
    for (std::size_t i = 0; i < acks.size(); ++i)
      if (acks[i].when > t) return acks[i].when;
    return Time::max();
  }
  /// Room for a packet of `size` in the replay buffer, with the acknowledgements that come by `told`.
  bool has_space(Bytes size, Time told = Time::from_fs(-1)) const {
    const Bytes buffer = wire_->link_layer.replay_buffer;
    if (buffer == Bytes::zero() || state_ == nullptr) return true;
    const flow::Ring<Ack>& acks = state_->acks;
    Bytes used = state_->replay_used;
    for (std::size_t i = 0; i < acks.size() && acks[i].when <= told; ++i) used -= acks[i].size;
    return used == Bytes::zero() || used + size <= buffer;
  }
  /// Duplicates that the sender puts on the wire because an ACK was lost: due by `now`, in bytes (0: none).
  Bytes take_duplicates(Time now);

 private:
  void find_due() { due_ = state_->naks.empty() ? state_->ack_due : std::min(state_->naks.front(), state_->ack_due); }
  bool under_way() const { return state_ != nullptr && !state_->acks.empty(); }
  struct Unacknowledged {
    Time tail;
    Bytes size;
  };
  struct Ack {
    Time when;
    Bytes size;
  };
  struct State {
    flow::Ring<Unacknowledged> unacknowledged;
    flow::Ring<Ack> acks;
    flow::Ring<Time> naks;
    Time ack_due = Time::max();
    Time covered_until = Time::from_fs(-1);  // the last ACK covers what is there by then
    Time duplicates_due = Time::max();
    Bytes replay_used;
  };
  const WireSpec* wire_;
  std::unique_ptr<State> state_;  // of wires that acknowledge, or err: an idle link of others stays small
  Time due_ = Time::max();        // the first NAK's, or that of the next ACK
};

}  // namespace tsunagi::net
