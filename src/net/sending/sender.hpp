// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "net/flow_control.hpp"
#include "net/receiver.hpp"
#include "net/sending/arbiter.hpp"
#include "net/sending/direction.hpp"
#include "net/sending/hop_report.hpp"
#include "net/sending/send_queues.hpp"
#include "net/slot.hpp"
#include "net/specs.hpp"
#include "sim/simulation.hpp"

namespace tsunagi::net {

/// What comes of a look for a packet that is next whatever else is offered later.
enum class Certain : std::uint8_t {
  granted,  ///< there was one
  nothing,  ///< nothing waits, or nothing can go before space is known to come
  open,     ///< something waits of which that is not known
};

/// The sending port of one direction of a wire, above the transmitter: what waits, who is next, how far a grant goes.
///
/// A train is granted as far as its packets' times are certain by what is known; each gets the times that it would have
/// got alone, and the rest waits on (docs/performance.md).
class Sender {
 public:
  /// Sends to `receiver`; all must outlive it.
  Sender(WireEnd from, Direction& direction, Receiver& receiver);

  /// Queues a delivery; false if it was joined to the train in front of it. Throws std::logic_error if it does not fit
  /// the wire.
  bool push(int source, Delivery&& d);
  /// The same, and in its place, as it goes, what follows it (SendQueues).
  void push(int source, Delivery&& d, Supply& more, std::uint64_t order);
  /// Applies what has reached the sender by `now`.
  void catch_up(Time now) {
    direction_.catch_up(now, flow_);
    flow_.forget_before(agenda().now());
  }
  /// First time from `now` on at which the wire takes the next packet, due link-layer packets having gone before.
  Time wire_free(Time now) {
    direction_.make_way(now);
    return direction_.transmitter().next_grant(now);
  }
  bool choose(Time now, Candidate& chosen, Blocked& blocked) const { return arbiter_.choose(now, chosen, blocked); }
  /// Grants the packet that was chosen, and what may go in the same wake-up; `chosen` is then the last queue that was
  /// served. Returns when the next one can be granted at the earliest; max: none waits.
  Time grant(Candidate& chosen, Time now) {
    direction_.before_packet(now);
    const bool ahead = direction_.lookahead().reach() == Reach::known && !direction_.wire().held;
    return ahead ? grant_known(chosen, now) : grant_train(chosen, now);
  }
  /// Whether packets may be granted ahead because their device sends in order: one source, and nothing on the wire
  /// beside them.
  bool can_be_certain() const;
  /// Grants the oldest packet if nothing that the device sends later can go before it, for when it can go.
  /// `blocked_since`: as the channel's, from when on it has lacked space (max: it has not); of one that was granted it
  /// is then when that goes.
  Certain grant_certain(Time now, Time& blocked_since);
  /// Packets of class `c` may not go before `until` (FlowControl::hold).
  void hold(flow::FlowClass c, Time until) { flow_.hold(c, until); }
  /// Nothing waits but in the queue that was served last, and that lacks space at `t`.
  bool lacks_space(const Candidate& last, Time t);
  /// When space that is lacking may come, from `t` on; max: nothing is known.
  Time next_space(Time t) const { return flow_.by_credits() ? direction_.next_credit() : flow_.next_open(t); }
  /// The same for a class of which something got free: `t` if it may be there already.
  Time next_space(flow::FlowClass c, Time t) const {
    return flow_.by_credits() ? direction_.next_credit() : flow_.next_open(c, t);
  }
  /// Space of the receiver's buffer gets free.
  void freed(flow::FlowClass c, flow::Credits per_packet, Spans when);

  SendQueues& queues() { return queues_; }
  const SendQueues& queues() const { return queues_; }
  const FlowControl& flow() const { return flow_; }
  Arbiter& arbiter() { return arbiter_; }
  const Arbiter& arbiter() const { return arbiter_; }
  /// Somebody listens from now on.
  void report() { report_.begin(direction_.observer(), sources_, framing().classes()); }
  const WireEnd& from() const { return from_; }
  /// Name of the class whose space the oldest waiting packet lacks, the kind of space, and if there is not so much of
  /// it at all, against what the device has said of its packets (PortSpec::sends); empty if none waits.
  std::string blocked_on() const;

 private:
  /// What a delivery that comes changes beside the queues. Returns its class.
  flow::FlowClass comes(int source, const Delivery& d);
  /// Grants packets of one train.
  Time grant_train(Candidate& chosen, Time now);
  /// Grants one packet after the other, whoever's turn it is, as long as nothing that is not known yet can matter.
  Time grant_known(Candidate& chosen, Time now);
  /// When a packet of class `c`, which could go at `at` but for space, has room, if nothing may pass it; max: that is
  /// not known, or what is known would be told too early.
  Time when_room(const Weight& weight, Time at, flow::FlowClass c);
  /// Packets of no other class may pass one of class `c`.
  bool unpassed(flow::FlowClass c) const;
  /// Whether the next packet of a train may be granted ahead, at `at`; moves `at` to when the credits
  /// or the replay space that it lacks are known to come.
  bool may_follow(const Weight& weight, Time& at, flow::FlowClass c);
  /// When packets that are being granted pass what lies before and behind the wire.
  struct Granted {
    Schedule arrives;
    BriefSchedule left;   // the buffer upstream
    flow::Credits space;  // that the last of them takes of the receiver's buffer
  };
  /// Grants the next packet of `w`.
  void grant_one(const Candidate& chosen, Waiting& w, Time at, Granted& granted);
  /// Takes the packets of a queue that have been granted off it, and puts them under way.
  void hand_on(int source, flow::FlowClass c, Granted& granted);
  /// When the next packet of any queue can be granted at the earliest, from `now` on.
  Time next_grant(Time now) const { return transmitter().next_grant(std::max(queues_.earliest_ready(now), now)); }
  const sim::Agenda& agenda() const { return direction_.agenda(); }
  const flow::Framing& framing() const { return *direction_.wire().framing; }
  Transmitter& transmitter() const { return direction_.transmitter(); }
  Lookahead& lookahead() const { return direction_.lookahead(); }

  Direction& direction_;
  SendQueues queues_;
  FlowControl flow_;
  Arbiter arbiter_;
  std::int16_t sources_;
  std::int16_t open_source_ = 0;  // of which no packet waited when one might have
  Receiver& receiver_;
  WireEnd from_;
  HopReport report_;
};

}  // namespace tsunagi::net
