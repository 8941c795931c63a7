// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "net/flow_control.hpp"
#include "net/link_layer/link_layer.hpp"
#include "net/listener.hpp"
#include "net/sending/lookahead.hpp"
#include "net/sending/transmitter.hpp"
#include "sim/simulation.hpp"

namespace tsunagi::net {

/// What one direction of a wire counted.
struct ChannelCounters {
  std::int64_t packets = 0;
  Bytes payload;
  Bytes header;
  Bytes framing;
  std::int64_t dllps = 0;
  std::int64_t replays = 0;  // packets sent again after a NAK or a time-out
  std::int64_t dropped = 0;  // packets that found no room: in the receiver's buffer, or to wait for this wire
  Bytes dropped_payload;
  Time credit_wait;  // with packets waiting and no credit, or stopped
  void count(const flow::WireSize& s) {
    ++packets;
    payload += s.payload;
    header += s.header;
    framing += s.framing;
  }
};

/// One direction of a link below its queues: the transmitter, how far ahead it may go, and what the receiver owes for
/// its packets. That travels in the opposite direction, between the packets there.
class alignas(64) Direction {
 public:
  /// All specs must outlive it. It is `number` to observers, and to the foresight one of those that are like `like`.
  Direction(sim::Agenda& agenda, const WireSpec& wire, const PortSpec& tx, const PortSpec& rx, Foresight& foresight,
            std::uint32_t number, std::uint32_t like);
  void set_opposite(Direction& opposite) { opposite_ = &opposite; }

  sim::Agenda& agenda() const { return agenda_; }
  const WireSpec& wire() const { return transmitter_.timeline().wire(); }
  Transmitter& transmitter() { return transmitter_; }
  LinkLayer& owed() { return owed_; }
  const LinkLayer& owed() const { return owed_; }
  Lookahead& lookahead() { return lookahead_; }
  ChannelCounters& counters() { return counters_; }
  const ChannelCounters& counters() const { return counters_; }
  LinkObserver& observer() { return observer_; }
  const LinkObserver& observer() const { return observer_; }

  /// The sender applies what has reached it by `now`.
  void catch_up(Time now, FlowControl& flow) {
    if (answered_) {
      settle(now);
      opposite_->transmitter_.timeline().forget_before(agenda_.now());  // else a wire without packets keeps every DLLP
      owed_.acks.harvest(now);
    }
    owed_.credits.harvest(now, flow.accounts(), observer_);
  }
  /// Link-layer packets that are due on this wire go before the next packet.
  void make_way(Time now) {
    if (answered_) opposite_->settle(now);
  }
  /// What the sender puts on the wire by itself before its next packet.
  void before_packet(Time now);
  /// A packet of this direction is granted at `at`: credits and acknowledgements that the opposite direction counted on
  /// move.
  void packet_granted(Time at) {
    if (answered_) opposite_->lookahead_.reverse_packet(at);
  }
  /// A packet of so many bytes, which took `cost` of the buffer of its class if that `counts`, arrives at `tail`.
  void packet_sent(Time tail, flow::FlowClass c, bool counts, const Weight& weight) {
    if (!answered_) return;
    owed_.acks.sent(tail, weight.size.total());
    if (counts) owed_.credits.spent(tail, c, weight.cost);
  }
  /// Room for a packet of `size` in the replay buffer.
  bool has_replay_space(Bytes size) const { return !answered_ || owed_.acks.has_space(size); }
  /// Sends a packet granted at `at`, whose last byte is there at `ready` (Transmitter::send).
  Passage send(Time at, Time ready, const Weight& weight) {
    const Passage p = transmitter_.send(at, ready, weight, owed_.acks, opposite_->transmitter_.timeline(), observer_);
    counters_.replays += p.replays;
    counters_.count(weight.size);
    return p;
  }

  /// Earliest time at which a credit, or an acknowledgement, may reach the sender; max: none is on its way.
  Time next_credit() const { return owed_.credits.next_told(opposite_->transmitter_.timeline()); }
  Time next_ack() const { return owed_.acks.next_told(opposite_->transmitter_.timeline()); }

  /// Whether a link-layer packet of the opposite direction's packets goes on this wire by `at`.
  bool dllp_due(Time at) const { return answered_ && opposite_->owed_.next_due() <= at; }
  /// How long after now packets can be granted on credits in hand whatever the opposite direction sends.
  Time unaffected() const;
  /// Whether there will be room at `at` for a packet that needs so much, with the credits that come by `told`.
  bool has_room(const FlowControl& flow, flow::FlowClass c, flow::Credits needs, Time at, Time told) const {
    if (flow.by_credits()) needs -= owed_.credits.told_by(told, c);
    return flow.may_go(c, needs, at);
  }
  /// When the next credit, or acknowledgement, after `t` reaches the sender, if that is known by now; else max.
  Time foresee(bool credit, Time t);
  /// Whether all link-layer packets that fall due for this direction up to then, ahead of time, are known. They get
  /// their places.
  bool certain(Time at);
  /// No link-layer packet that is not known yet falls due on this wire before.
  Time quiet_until() const;
  /// Places what is due on this wire by `at`, later than now; false if it may tell of packets that are not known yet.
  bool make_way_ahead(Time at);

 private:
  /// Places what is owed and due by `now` on the opposite wire.
  void settle(Time now) {
    if (owed_.next_due() <= now) place_due(now);
  }
  void place_due(Time now);
  /// When the tail of a packet that is not granted yet can be at the other end of the cable at the earliest.
  Time next_landing() const {
    const Time piped = agenda_.now() + transmitter_.spec().pipeline.latency() - Time::from_fs(2);  // cycles are rounded
    return std::max(piped, transmitter_.timeline().free()) + wire().flight;
  }

  // In the order in which packets ask: the first two lines of a cache are what one that is offered needs.
  sim::Agenda& agenda_;
  /// Something of the link layer answers this direction's packets on the opposite wire, whose packets hold it up; else
  /// neither direction touches what is the other one's.
  bool answered_;
  Lookahead lookahead_;
  Transmitter transmitter_;
  Direction* opposite_ = nullptr;
  LinkObserver observer_;
  ChannelCounters counters_;
  LinkLayer owed_;
};

}  // namespace tsunagi::net
