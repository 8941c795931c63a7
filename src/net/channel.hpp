// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "flow/credits.hpp"
#include "flow/ring.hpp"
#include "net/link_layer.hpp"
#include "net/listener.hpp"
#include "net/lookahead.hpp"
#include "net/send_queues.hpp"
#include "net/slot.hpp"
#include "net/specs.hpp"
#include "net/transmitter.hpp"
#include "sim/simulation.hpp"

namespace tsunagi::net {

class Device;

/// What one direction of a wire counted.
struct ChannelCounters {
  std::int64_t packets = 0;
  Bytes payload;
  Bytes header;
  Bytes framing;
  std::int64_t dllps = 0;
  std::int64_t replays = 0;  // packets sent again after a NAK or a time-out
  Time credit_wait;          // with packets waiting and no credit
  void count(const flow::WireSize& s) {
    ++packets;
    payload += s.payload;
    header += s.header;
    framing += s.framing;
  }
};

/// One direction of a wire: what waits at the sending port (SendQueues), who is next, credits, the transmitter,
/// flight, the receiving port's buffers. Two wake-ups a train: one to grant it, one to hand it to the receiver, if
/// that does not take it ahead; acknowledgements and credits (LinkLayer) are arithmetic until somebody waits.
///
/// A train is granted as far as its packets' times are certain by what is known: one source waits, credits
/// and replay space are there or known to come, no link-layer packet is due in between. Each packet
/// gets the times it would have got alone; the rest of the train waits on. Where sources have once
/// competed packets are granted one by one; where the reverse flow has, no further than its next packet
/// could matter (Lookahead).
class Channel final : private SlotOwner {
 public:
  /// `tx` and `rx` are the ports' specs; all specs must outlive the channel. It is `number` to the foresight.
  Channel(sim::Simulation& sim, const WireSpec& wire, const PortSpec& tx, const PortSpec& rx, Device& to, int to_port,
          Foresight& foresight, std::uint32_t number);

  /// The opposite direction, which carries this one's acknowledgements and credits.
  void set_reverse(Channel& reverse) { reverse_ = &reverse; }
  /// Gives the wire its own stream of bit errors, if it has any.
  void seed_errors(std::uint64_t seed, const std::string& name) { transmitter_.seed_errors(seed, name); }
  /// Who hears of every packet, link-layer packet and credit from now on. Only while packets travel alone.
  void set_listener(Listener& listener);

  /// No ring of buffers is closed by this wire: sources need not leave anything free (PortSpec::reserve). Before the
  /// run.
  void drop_reserve() { reserves_ = false; }

  /// Queues a delivery whose bytes are ready at its schedule (heads may lie in the future).
  void offer(int source, Delivery&& d);

  const WireSpec& wire() const { return *wire_; }
  const RxSpec& receiver() const { return rx_->rx; }
  Device& destination() const { return *to_; }
  int destination_port() const { return to_port_; }
  /// "node1.peach2.w": the port that it ends in.
  std::string end_name() const;
  /// What it is, for observers.
  ChannelInfo info() const;
  const ChannelCounters& counters() const { return counters_; }
  /// Drops everything without giving it back; the machine is taken down.
  void discard();
  /// When the next packet can be handed to the receiver at the earliest.
  Time next_arrival() const {
    return in_flight_.empty() ? agenda_.now() + least_latency_ : in_flight_.front().schedule.front().head;
  }
  Time least_latency() const { return least_latency_; }
  Channel& reverse() const { return *reverse_; }
  /// Packets queued at the sender or under way.
  bool busy() const { return queues_.busy() != 0 || !in_flight_.empty(); }
  /// Name of the class whose credits the oldest waiting packet lacks; empty if none waits.
  std::string blocked_on() const;
  /// After the run: applies every credit that is still on its way; true if all came home.
  bool all_credits_home();

 private:
  /// What a grant hands on: when its packets leave the buffer upstream and when they arrive.
  struct Granted {
    Schedule left;
    Schedule arrives;
  };
  /// What was last seen to keep the first packet of a queue, and since when.
  struct Kept {
    BlockedBy by = BlockedBy::nothing;
    Time since;
  };
  /// What keeps packets that are ready from being granted, and when the first of those that are not will be.
  struct Blocked {
    Time ready_at = Time::max();
    bool credit = false;
    bool replay_space = false;
  };
  /// Whose packet is next, and what it weighs.
  struct Candidate {
    int source = -1;
    flow::FlowClass c = 0;
    Weight weight;
  };
  template <void (Channel::*Do)()>
  struct Wake final : sim::Alarm {
    Wake(Channel& ch, sim::Phase p) : Alarm(p), channel(ch) {}
    void ring() override { (channel.*Do)(); }
    Channel& channel;
  };

  void try_send();
  /// The next source in turn that has a packet which may go; of its classes the one that came first.
  bool choose(Time now, Candidate& chosen, Blocked& blocked);
  bool choose_class(int source, Time now, Candidate& chosen, Blocked& blocked);
  bool overtakes_wrongly(int source, flow::FlowClass c, const Waiting& w) const;
  flow::Credits reserved(int source, const flow::Packet& p) const {
    if (!reserves_) return {};
    return wire_->framing->cost(p, wire_->max_payload) * tx_->reserve[static_cast<std::size_t>(source)];
  }
  /// Size, cost and needs of a packet; what it takes of the transmitter is worked out when it is granted.
  void weigh(int source, const flow::Packet& p, Bytes payload, Weight& w) const;
  /// There are credits for the next packet of a queue, and for what its source must leave free.
  bool covered(int source, flow::FlowClass c) const;
  /// Grants packets of one train. Returns when the next one can be granted at the earliest; max: none waits.
  Time grant(Candidate& chosen, Time now);
  /// Grants one packet after the other, whoever's turn it is, as long as nothing that is not known yet can matter.
  Time grant_known(Candidate& chosen, Time now);
  /// Whether all that competes at `at`, later than now, and what goes on this wire before is known; the latter gets its
  /// place then. `until`: when something unknown may come, max if that has not been looked for.
  bool known(Time at, Time& until);
  /// The same for the next time from `at` on at which a packet can be granted.
  bool get_known(Time& at, Time& until);
  /// The earliest time at which a source of this port may have something ready that it has not offered yet, and that
  /// could go before what it has.
  Time next_of(int source) const;
  /// Arms the next try after a grant; not at all where only a credit can help.
  void arm_after_grant(int source, flow::FlowClass c, Time next);
  void before_grant(Time now);
  void grant_one(const Waiting& w, const Weight& weight, Span ready, flow::FlowClass c, Granted& out);
  void tell_hop(const Waiting& w, const Weight& weight, flow::FlowClass c, const Passage& passage, Span arrived);
  bool observed() const { return observer_.listener != nullptr; }
  /// Notes, for a listener, that the first packet of a queue lacks something from `since` on.
  void note(int source, flow::FlowClass c, BlockedBy what, Time since);
  /// Whether the next packet of a train may be granted ahead, at `at`; moves `at` to when the credits
  /// or the replay space that it lacks are known to come.
  bool may_follow(const Weight& weight, Time& at, flow::FlowClass c);
  Time foresee(bool credit);
  /// Whether all link-layer packets that fall due up to then, ahead of time, are known.
  bool certain(Time at);
  /// Takes the first `k` packets off a queue and puts them under way; empties `granted`.
  void hand_on(int source, flow::FlowClass c, std::int32_t k, Granted& granted);
  /// On its way to the receiver, which gets it when it arrives or, if that takes it so, now.
  void put_under_way(flow::FlowClass c, Delivery&& d);
  void deliver();
  /// How long after a packet of the reverse flow is granted it can first matter here.
  Time bound() const;
  /// Applies what has reached the sender by `now`.
  void catch_up(Time now);
  /// Places this direction's acknowledgements and credit updates that are due by `now` on the reverse wire.
  void settle_reverse(Time now) {
    if (link_layer_.next_due() <= now) place_due(now);
  }
  void place_due(Time now);
  LinkTimeline& timeline() { return transmitter_.timeline(); }
  /// When the tail of a packet that is not granted yet can be at the other end of the cable at the earliest.
  Time next_at_link() const {
    const Time piped = agenda_.now() + tx_->tx.pipeline.latency() - Time::from_fs(2);  // cycles are rounded
    return std::max(piped, transmitter_.timeline().free()) + wire_->flight;
  }

  // the receiver's side
  void slot_released(flow::FlowClass c, flow::Credits per_packet, const Schedule& when, std::uint64_t packet) override;
  Time slot_now() const override { return agenda_.now(); }

  sim::Agenda& agenda_;
  const WireSpec* wire_;
  const PortSpec* tx_;
  const PortSpec* rx_;
  Device* to_;
  Channel* reverse_ = nullptr;
  LinkObserver observer_;  // the channel's number, and who listens
  // Small, because there are many channels.
  std::int16_t to_port_;
  std::int16_t last_source_ = 0;  // of the last grant
  std::int16_t open_source_ = 0;  // of which no packet waited when one might have
  std::uint8_t classes_;
  bool reserves_;
  bool ahead_;  // a receiver that takes packets ahead gets them when they are granted
  flow::FlowClass last_class_ = 0;

  SendQueues queues_;
  std::unique_ptr<std::vector<Kept>> kept_;  // of each queue, while somebody listens
  std::vector<flow::CreditAccount> credits_;
  LinkLayer link_layer_;
  Transmitter transmitter_;
  Lookahead lookahead_;
  Time least_latency_;  // from a grant to the receiver
  Time blocked_since_ = Time::max();
  flow::Ring<Delivery> in_flight_;
  ChannelCounters counters_;
  Wake<&Channel::try_send> send_alarm_{*this, sim::Phase::grant};
  Wake<&Channel::deliver> arrive_alarm_{*this, sim::Phase::arrive};
};

}  // namespace tsunagi::net
