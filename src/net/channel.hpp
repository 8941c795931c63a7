// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "net/backlog.hpp"
#include "net/listener.hpp"
#include "net/receiver.hpp"
#include "net/sending/direction.hpp"
#include "net/sending/sender.hpp"
#include "net/slot.hpp"
#include "net/specs.hpp"
#include "sim/simulation.hpp"

namespace tsunagi::net {

/// Hears of space in a receiver's buffers.
class SpaceListener {
 public:
  virtual ~SpaceListener() = default;
  /// The sender knows from `when` (not before now) on that some is free.
  virtual void space_freed(Time when) = 0;
};

/// One direction of a wire, from the queues at the sending port to the receiving device. Two wake-ups a train: one to
/// grant it, one to hand it to the device, if that does not take it ahead; acknowledgements and credits are arithmetic
/// until somebody waits. It begins a line of the cache, so that members which a packet asks for together share one.
class alignas(64) Channel final : private SlotOwner, private sim::Alarm {
 public:
  /// From one end to the other; `direction` is what is below the queues. It and the ports' specs must outlive it.
  Channel(WireEnd from, WireEnd to, Direction& direction, bool ahead);

  /// Who hears of every packet, link-layer packet and credit from now on. Only while packets travel alone.
  void set_listener(Listener& listener);
  /// Who hears when space in the receiver's buffers gets free, from now on; outlives the run.
  void tell_space(SpaceListener& listener) { space_ = &listener; }
  /// Whether a packet that was offered now would go at once: none waits, and there is room for it.
  bool takes(const flow::Packet& p);
  /// The receiver has said that nothing of class `c` be sent before `until`, whatever it said before; of a wire on
  /// which it may (WireSpec::held).
  void hold(flow::FlowClass c, Time until);
  /// A packet that wanted to go this way found no room in the sending device's memory: counts it as dropped.
  void drop(const flow::Packet& p) { receiver_.drop(p); }
  /// Who hears of what its receiver drops, from now on.
  void tell_drops(DropListener& listener) { receiver_.tell_drops(listener); }
  /// No ring of buffers is closed by this wire: sources need not leave anything free (PortSpec::reserve). Before the
  /// run.
  void drop_reserve() { sender_.arbiter().drop_reserve(); }
  /// Sources that leave something free leave so many packets more, which the receiver's buffers have to hold. Before
  /// the run.
  void add_reserve(int packets) { sender_.arbiter().add_reserve(packets); }
  /// Packets that a source leaves free.
  int reserve_of(int source) const { return sender_.arbiter().reserve_of(source); }

  /// Somebody will ask for the backlog. Before the run; every packet then has to hold space in the receiver's buffers.
  void count_backlog() { backlog_ = std::make_unique<Backlog>(); }
  /// Just before `now`, in units of data of the receiver's buffers.
  std::int64_t backlog() const { return backlog_->before(agenda().now()); }

  /// Queues a delivery whose bytes are ready at its schedule (heads may lie in the future).
  void offer(int source, Delivery&& d);
  /// The same, and behind it what `more` has, which is asked for it as it goes; that outlives this or says that there
  /// is no more before its end. `order`: of the places taken.
  void offer(int source, Delivery&& d, Supply& more, std::uint64_t order);
  /// Takes `n` places in the order in which things come to the port, one behind the other; returns the first.
  std::uint64_t take_orders(std::uint64_t n) { return sender_.queues().take_orders(n); }

  const WireSpec& wire() const { return direction_.wire(); }
  const RxSpec& receiver() const { return receiver_.spec(); }
  Device& destination() const { return *receiver_.end().device; }
  int destination_port() const { return receiver_.end().port; }
  /// "node1.peach2.w": the port that it ends in.
  std::string end_name() const { return receiver_.end().name(); }
  /// What it is, for observers.
  ChannelInfo info() const;
  const ChannelCounters& counters() const { return direction_.counters(); }
  /// Counts for how long packets occupy the wire within `window`. Before any packet that may be there then is offered:
  /// what is granted ahead of its time counts when it is granted.
  void watch(Span window) { direction_.transmitter().timeline().watch(window); }
  Time carried() const { return direction_.transmitter().timeline().carried(); }
  /// Drops everything without giving it back; the machine is taken down.
  void discard();
  /// When the next packet can be handed to the receiver at the earliest.
  Time next_arrival() const { return receiver_.under_way() ? receiver_.next_head() : agenda().now() + least_latency_; }
  /// From a grant to the receiver.
  Time least_latency() const { return least_latency_; }
  /// Packets queued at the sender or under way.
  bool busy() const { return sender_.queues().busy() != 0 || receiver_.under_way(); }
  /// Name of the class whose space the oldest waiting packet lacks; empty if none waits.
  std::string blocked_on() const;
  /// After the run: applies all that is still on its way; true if all space came home.
  bool all_credits_home();

 private:
  /// Sends what may go now.
  void ring() override;
  /// Grants what is next for certain, if the port's device sends in order (PortSpec::in_order); false: whoever comes
  /// first has to wake up.
  bool grant_certain();
  void wait_for(const Blocked& blocked, Time now);
  /// Arms the next try after a grant; not at all where only a credit can help.
  void arm_after_grant(const Candidate& last, Time next);

  void slot_released(flow::FlowClass c, flow::Credits per_packet, Spans when, std::uint64_t packet) override;
  Time slot_now() const override { return agenda().now(); }
  sim::Agenda& agenda() const { return direction_.agenda(); }
  /// Rings at `t` at the latest.
  void wake_by(Time t) { agenda().arm_by(*this, t); }

  Direction& direction_;
  std::unique_ptr<Backlog> backlog_;  // if anybody asks
  SpaceListener* space_ = nullptr;
  Time blocked_since_ = Time::max();  // packets wait, and only space in the receiver's buffer is lacking
  Receiver receiver_;
  Sender sender_;
  bool certain_;           // what is next may be granted ahead of its time, without a wake-up
  bool granting_ = false;  // that goes on
  Time taken_until_;       // what was granted so leaves then
  Time least_latency_;
};

}  // namespace tsunagi::net
