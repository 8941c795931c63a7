// SPDX-License-Identifier: Apache-2.0
#include "net/channel.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "net/device.hpp"

namespace tsunagi::net {

Channel::Channel(sim::Simulation& sim, const WireSpec& wire, const PortSpec& tx, const PortSpec& rx, Device& to,
                 int to_port, Foresight& foresight, std::uint32_t number)
    : agenda_(sim.agenda()),
      wire_(&wire),
      tx_(&tx),
      rx_(&rx),
      to_(&to),
      to_port_(static_cast<std::int16_t>(to_port)),
      classes_(static_cast<std::uint8_t>(wire.framing->classes())),
      last_class_(0),
      reach_(foresight.reach(number)),
      foresight_(foresight),
      link_layer_(wire, classes_, rx.rx.buffers),
      timeline_(wire.rate, wire.skip) {
  ear_.channel = number;
  credits_.reserve(static_cast<std::size_t>(classes_));
  for (int c = 0; c < classes_; ++c) {
    const auto i = static_cast<std::size_t>(c);
    credits_.emplace_back(i < rx.rx.buffers.size() ? rx.rx.buffers[i]
                                                   : flow::Credits{flow::Credits::infinite, flow::Credits::infinite});
  }
  ahead_ = tx.tx.pipeline.latency() + timeline_.duration(tx.tx.fifo);
  timeline_.keep_gaps(wire.link_layer.acks || wire.link_layer.credit_updates);
}

void Channel::seed_errors(std::uint64_t seed, const std::string& name) {
  if (wire_->bit_error_rate > 0) errors_ = std::make_unique<BitErrors>(wire_->bit_error_rate, seed, name);
}

void Channel::set_listener(Listener& listener) {
  ear_.listener = &listener;
  kept_ = std::make_unique<std::vector<Kept>>(static_cast<std::size_t>(tx_->sources * classes_));
}

void Channel::note(int source, flow::FlowClass c, Lack what, Time since) {
  Kept& k = (*kept_)[static_cast<std::size_t>(source * classes_ + c)];
  if (k.by != what) k = {what, since};
}

void Channel::offer(int source, Delivery d) {
  const flow::FlowClass c = wire_->framing->flow_class(*d.packet);
  const Time ready = d.schedule.front().head;
  if (d.packet->payload > wire_->max_payload)
    throw std::logic_error("a packet of " + std::to_string(d.packet->payload.count()) +
                           " B exceeds the wire's max payload");
  if (credits_[c].exceeds(wire_->framing->cost(*d.packet, d.packet->payload)))
    throw std::runtime_error("a packet is larger than the receiver's whole " +
                             std::string(wire_->framing->class_name(c)) + " buffer");
  // It would have competed with packets that have been handed on.
  if (ready <= ahead_until_ && (source != last_source_ || c != last_class_)) refute(Reach::single);
  if (queues_.empty()) queues_.resize(static_cast<std::size_t>(tx_->sources * classes_));  // an idle wire has none
  auto& q = queue(source, c);
  if (!q.empty() && join(q.back(), d)) return;
  if (q.empty()) ++busy_queues_;
  q.push_back({std::move(d), ++orders_, 0});
  agenda_.arm_by(send_alarm_, next_grant(std::max(ready, agenda_.now())));
}

bool Channel::overtakes_wrongly(int source, flow::FlowClass c, const Waiting& w) const {
  for (int e = 0; e < classes_; ++e) {
    const auto earlier = static_cast<flow::FlowClass>(e);
    if (earlier == c || wire_->framing->may_pass(c, earlier)) continue;
    const auto& q = queue(source, earlier);
    if (!q.empty() && q.front().before(w)) return true;
  }
  return false;
}

Channel::Candidate Channel::choose(Time now, Time& ready_at, Lacking& lacking) {
  for (int k = 1; k <= tx_->sources; ++k) {
    const int source = (last_source_ + k) % tx_->sources;
    Candidate oldest;
    const Waiting* first = nullptr;
    for (int i = 0; i < classes_; ++i) {
      const auto c = static_cast<flow::FlowClass>(i);
      const auto& q = queue(source, c);
      if (q.empty()) continue;
      const Waiting& w = q.front();
      if (first != nullptr && first->before(w)) continue;
      if (overtakes_wrongly(source, c, w)) continue;
      const Time ready = w.next().head;
      if (ready > now) {
        ready_at = std::min(ready_at, ready);
        continue;
      }
      if (!covered(source, c, w)) {
        lacking.credit = true;
        if (heard()) note(source, c, Lack::credit, now);
        continue;
      }
      const flow::Packet& p = *w.delivery.packet;
      if (!link_layer_.has_replay_space(wire_->framing->size(p, p.payload).total())) {
        lacking.replay_space = true;
        if (heard()) note(source, c, Lack::replay_space, now);
        continue;
      }
      oldest = {source, c};
      first = &w;
    }
    if (oldest.source >= 0) return oldest;
  }
  return {};
}

void Channel::try_send() {
  const Time now = agenda_.now();
  catch_up(now);
  reverse_->settle_reverse(now);  // what is due goes before the next packet
  const Time earliest = next_grant(now);
  if (earliest > now) {
    agenda_.arm(send_alarm_, earliest);
    return;
  }
  Time ready_at = Time::max();
  Lacking lacking;
  const Candidate chosen = choose(now, ready_at, lacking);
  if (chosen.source >= 0) {
    if (blocked_since_ != Time::max()) {
      counters_.credit_wait += std::max(now, blocked_since_) - blocked_since_;
      blocked_since_ = Time::max();
    }
    grant(chosen, now);
    if (busy_queues_ != 0) arm_after_grant(chosen, now);
    return;
  }
  if (lacking.credit) {
    if (blocked_since_ == Time::max()) blocked_since_ = now;
    ready_at = std::min(ready_at, link_layer_.next_credit(reverse_->timeline_));
  }
  if (lacking.replay_space) ready_at = std::min(ready_at, link_layer_.next_ack(reverse_->timeline_));
  if (ready_at != Time::max()) agenda_.arm_by(send_alarm_, std::max(ready_at, now));
}

void Channel::arm_after_grant(Candidate granted, Time now) {
  Time next = next_grant(std::max(earliest_ready(), now));
  const auto& q = queue(granted.source, granted.c);
  if (busy_queues_ == 1 && !q.empty() && !covered(granted.source, granted.c, q.front())) {
    // Nobody can be granted before a credit comes: whoever frees the space arms us.
    blocked_since_ = next;
    if (heard()) note(granted.source, granted.c, Lack::credit, next);
    const Time credit = link_layer_.next_credit(reverse_->timeline_);
    if (credit == Time::max()) return;
    next = next_grant(std::max(next, credit));
  }
  agenda_.arm_by(send_alarm_, next);
}

Time Channel::next_grant(Time from) const {
  // The datapath takes the next packet when it has passed on the last one, and not before what
  // waits behind the pipeline fits its FIFO.
  Time t = std::max(from, datapath_free_);
  t = std::max(t, timeline_.free() - ahead_);
  return tx_->tx.datapath ? tx_->tx.datapath->clock.at_or_after(t) : t;
}

Time Channel::earliest_ready() const {
  Time t = Time::max();
  for (const auto& q : queues_)
    if (!q.empty()) t = std::min(t, q.front().next().head);
  return t;
}

void Channel::deliver() {
  Delivery d = in_flight_.take_front();
  if (!in_flight_.empty()) agenda_.arm(arrive_alarm_, in_flight_.front().schedule.front().head);
  to_->receive(to_port_, std::move(d));
}

void Channel::catch_up(Time now) {
  settle_reverse(now);
  reverse_->timeline_.forget_before(agenda_.now());  // else a wire without packets would keep every DLLP
  link_layer_.harvest(now, credits_, ear_);
}

void Channel::settle_reverse(Time now) {
  const Time due = link_layer_.next_due();
  if (due <= now) {
    if (due <= reverse_->ahead_until_) reverse_->refute(Reach::bounded);  // it would have gone between its packets
    if (now > agenda_.now()) foreseen_until_ = std::max(foreseen_until_, now);
  }
  reverse_->counters_.dllps += link_layer_.settle(now, reverse_->timeline_, errors_.get(), reverse_->ear_);
}

void Channel::slot_released(flow::FlowClass c, flow::Credits per_packet, const Schedule& when, std::uint64_t) {
  // The space given back first would have been told first.
  if (when.front().tail < std::min(released_until_, foreseen_until_)) refute(Reach::bounded);
  released_until_ = std::max(released_until_, when.back().tail);
  link_layer_.freed(c, per_packet, when);
  if (blocked_since_ != Time::max())
    agenda_.arm_by(send_alarm_, next_grant(std::max(agenda_.now(), link_layer_.next_credit(reverse_->timeline_))));
}

void Channel::refute(Reach needed) {
  const Reach tried = foresight_.reach(ear_.channel);
  if (tried == Reach::single) return;
  if (tried >= needed) needed = Reach::single;  // that was not enough
  keep_within(needed);
  foresight_.refute(ear_.channel, needed);
}

bool Channel::all_credits_home() {
  catch_up(Time::max());
  return std::all_of(credits_.begin(), credits_.end(), [](const auto& a) { return !a.finite() || a.all_home(); });
}

void Channel::discard() {
  for (auto& q : queues_)
    for (; !q.empty(); q.pop_front()) q.front().delivery.slot.abandon();
  for (; !in_flight_.empty(); in_flight_.pop_front()) in_flight_.front().slot.abandon();
}

std::string Channel::end_name() const {
  return to_->name() + "." + to_->ports()[static_cast<std::size_t>(to_port_)].name();
}

ChannelInfo Channel::info() const {
  ChannelInfo c;
  const Device& from = *reverse_->to_;
  c.from_device = from.name();
  c.from_port = from.ports()[static_cast<std::size_t>(reverse_->to_port_)].name();
  c.to_device = to_->name();
  c.to_port = to_->ports()[static_cast<std::size_t>(to_port_)].name();
  c.rate = wire_->rate;
  c.coding_data = wire_->coding_data;
  c.coding_line = wire_->coding_line;
  c.flight = wire_->flight;
  for (int i = 0; i < classes_; ++i)
    c.classes.emplace_back(wire_->framing->class_name(static_cast<flow::FlowClass>(i)));
  return c;
}

std::string Channel::blocked_on() const {
  if (busy_queues_ == 0) return {};
  for (int s = 0; s < tx_->sources; ++s)
    for (int i = 0; i < classes_; ++i) {
      const auto c = static_cast<flow::FlowClass>(i);
      const auto& q = queue(s, c);
      if (!q.empty() && !covered(s, c, q.front()))
        return std::string(wire_->framing->class_name(c)) + " credits of " + end_name();
    }
  return {};
}

}  // namespace tsunagi::net
