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
      reserves_(!tx.reserve.empty()),
      ahead_(foresight.ahead()),
      queues_(tx.sources, classes_),
      link_layer_(wire, classes_, rx.rx.buffers),
      transmitter_(wire, tx.tx),
      lookahead_(foresight, number) {
  observer_.channel = number;
  // A clock's cycles are rounded to femtoseconds.
  const Time latency = tx.tx.pipeline.latency() + wire.flight + rx.rx.pipeline.latency();
  least_latency_ = std::max(Time::zero(), latency - Time::from_fs(4));
  credits_.reserve(static_cast<std::size_t>(classes_));
  for (int c = 0; c < classes_; ++c) {
    const auto i = static_cast<std::size_t>(c);
    credits_.emplace_back(i < rx.rx.buffers.size() ? rx.rx.buffers[i]
                                                   : flow::Credits{flow::Credits::infinite, flow::Credits::infinite});
  }
}

void Channel::set_listener(Listener& listener) {
  observer_.listener = &listener;
  kept_ = std::make_unique<std::vector<Kept>>(static_cast<std::size_t>(tx_->sources * classes_));
}

void Channel::note(int source, flow::FlowClass c, BlockedBy what, Time since) {
  Kept& k = (*kept_)[static_cast<std::size_t>(source * classes_ + c)];
  if (k.by != what) k = {what, since};
}

void Channel::offer(int source, Delivery&& d) {
  const flow::FlowClass c = wire_->framing->flow_class(*d.packet);
  const Time ready = d.schedule.front().head;
  if (d.packet->payload > wire_->max_payload)
    throw std::logic_error("a packet of " + std::to_string(d.packet->payload.count()) +
                           " B exceeds the wire's max payload");
  if (credits_[c].exceeds(wire_->framing->cost(*d.packet, d.packet->payload)))
    throw std::runtime_error("a packet is larger than the receiver's whole " +
                             std::string(wire_->framing->class_name(c)) + " buffer");
  // What stands behind an older packet of its source competes when that has gone.
  if ((source != last_source_ || c != last_class_) && !queues_.has_ready(source, ready))
    lookahead_.rival(ready, source == last_source_);
  if (queues_.push(source, c, std::move(d)))
    agenda_.arm_by(send_alarm_, transmitter_.next_grant(std::max(ready, agenda_.now())));
}

bool Channel::overtakes_wrongly(int source, flow::FlowClass c, const Waiting& w) const {
  for (std::uint64_t bits = queues_.busy_classes(source); bits != 0; bits &= bits - 1) {
    const auto earlier = static_cast<flow::FlowClass>(__builtin_ctzll(bits));
    if (earlier == c || wire_->framing->may_pass(c, earlier)) continue;
    if (queues_.front(source, earlier).before(w)) return true;
  }
  return false;
}

void Channel::weigh(int source, const flow::Packet& p, Bytes payload, Weight& w) const {
  w.size = wire_->framing->size(p, payload);
  w.cost = wire_->framing->cost(p, payload);
  w.needs = w.cost + reserved(source, p);
}

bool Channel::covered(int source, flow::FlowClass c) const {
  const Waiting& w = queues_.front(source, c);
  const flow::Packet& p = *w.delivery.packet;
  return credits_[c].covers(wire_->framing->cost(p, w.next_payload()) + reserved(source, p));
}

bool Channel::choose_class(int source, Time now, Candidate& chosen, Blocked& blocked) {
  const Waiting* first = nullptr;
  for (std::uint64_t bits = queues_.busy_classes(source); bits != 0; bits &= bits - 1) {
    const auto c = static_cast<flow::FlowClass>(__builtin_ctzll(bits));
    const Waiting& w = queues_.front(source, c);
    if (first != nullptr && first->before(w)) continue;
    if (overtakes_wrongly(source, c, w)) continue;
    if (const Time ready = w.next().head; ready > now) {
      blocked.ready_at = std::min(blocked.ready_at, ready);
      continue;
    }
    Weight weight;
    weigh(source, *w.delivery.packet, w.next_payload(), weight);
    if (!credits_[c].covers(weight.needs)) {
      blocked.credit = true;
      if (observed()) note(source, c, BlockedBy::credit, now);
      continue;
    }
    if (!link_layer_.has_replay_space(weight.size.total())) {
      blocked.replay_space = true;
      if (observed()) note(source, c, BlockedBy::replay_space, now);
      continue;
    }
    chosen = {source, c, weight};
    first = &w;
  }
  return first != nullptr;
}

bool Channel::choose(Time now, Candidate& chosen, Blocked& blocked) {
  if (queues_.busy() == 0) return false;
  const int first = queues_.next_source(last_source_);
  int source = first;
  do {
    if (choose_class(source, now, chosen, blocked)) return true;
    source = queues_.next_source(source);
  } while (source != first);
  return false;
}

void Channel::try_send() {
  const Time now = agenda_.now();
  catch_up(now);
  reverse_->settle_reverse(now);  // what is due goes before the next packet
  const Time earliest = transmitter_.next_grant(now);
  if (earliest > now) {
    agenda_.arm(send_alarm_, earliest);
    return;
  }
  Candidate chosen;
  Blocked blocked;
  if (choose(now, chosen, blocked)) {
    if (blocked_since_ != Time::max()) {
      counters_.credit_wait += std::max(now, blocked_since_) - blocked_since_;
      blocked_since_ = Time::max();
    }
    const Time next = lookahead_.reach() == Reach::known ? grant_known(chosen, now) : grant(chosen, now);
    if (next != Time::max()) arm_after_grant(chosen.source, chosen.c, next);
    return;
  }
  Time next = blocked.ready_at;
  if (blocked.credit) {
    if (blocked_since_ == Time::max()) blocked_since_ = now;
    next = std::min(next, link_layer_.next_credit(reverse_->timeline()));
  }
  if (blocked.replay_space) next = std::min(next, link_layer_.next_ack(reverse_->timeline()));
  if (next != Time::max()) agenda_.arm_by(send_alarm_, std::max(next, now));
}

void Channel::arm_after_grant(int source, flow::FlowClass c, Time next) {
  if (queues_.busy() == 1 && !queues_.empty(source, c) && !covered(source, c)) {
    // Nobody can be granted before a credit comes: whoever frees the space arms us.
    blocked_since_ = next;
    if (observed()) note(source, c, BlockedBy::credit, next);
    const Time credit = link_layer_.next_credit(reverse_->timeline());
    if (credit == Time::max()) return;
    next = transmitter_.next_grant(std::max(next, credit));
  }
  agenda_.arm_by(send_alarm_, next);
}

void Channel::deliver() {
  Delivery d = in_flight_.take_front();
  if (!in_flight_.empty()) agenda_.arm(arrive_alarm_, in_flight_.front().schedule.front().head);
  to_->receive(to_port_, std::move(d));
}

void Channel::catch_up(Time now) {
  settle_reverse(now);
  reverse_->timeline().forget_before(agenda_.now());  // else a wire without packets would keep every DLLP
  link_layer_.harvest(now, credits_, observer_);
}

void Channel::place_due(Time now) {
  reverse_->lookahead_.link_layer_packet(link_layer_.next_due());
  if (now > agenda_.now()) lookahead_.relied_on(now);
  reverse_->counters_.dllps +=
      link_layer_.settle(now, reverse_->timeline(), transmitter_.errors(), reverse_->observer_);
}

void Channel::slot_released(flow::FlowClass c, flow::Credits per_packet, const Schedule& when, std::uint64_t) {
  lookahead_.released(when.front().tail, when.back().tail);
  link_layer_.freed(c, per_packet, when);
  if (blocked_since_ == Time::max()) return;
  const Time credit = std::max(agenda_.now(), link_layer_.next_credit(reverse_->timeline()));
  agenda_.arm_by(send_alarm_, transmitter_.next_grant(credit));
}

bool Channel::all_credits_home() {
  catch_up(Time::max());
  return std::all_of(credits_.begin(), credits_.end(), [](const auto& a) { return !a.finite() || a.all_home(); });
}

void Channel::discard() {
  queues_.abandon();
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
  if (queues_.busy() == 0) return {};
  for (int s = 0; s < tx_->sources; ++s)
    for (int i = 0; i < classes_; ++i) {
      const auto c = static_cast<flow::FlowClass>(i);
      if (!queues_.empty(s, c) && !covered(s, c))
        return std::string(wire_->framing->class_name(c)) + " credits of " + end_name();
    }
  return {};
}

}  // namespace tsunagi::net
