// SPDX-License-Identifier: Apache-2.0
#include "net/channel.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "net/device.hpp"

namespace tsunagi::net {

Channel::Channel(WireEnd from, WireEnd to, Direction& direction, bool ahead)
    : Alarm(sim::Phase::grant),
      direction_(direction),
      receiver_(direction, to, *this, ahead),
      sender_(from, direction, receiver_),
      certain_(receiver_.ahead() && sender_.can_be_certain()) {
  // A clock's cycles are rounded to femtoseconds.
  const Time latency = from.spec().tx.pipeline.latency() + wire().flight + receiver_.spec().pipeline.latency();
  least_latency_ = std::max(Time::zero(), latency - Time::from_fs(4));
}

void Channel::set_listener(Listener& listener) {
  direction_.observer().listener = &listener;
  sender_.report();
}

void Channel::offer(int source, Delivery&& d) {
  const Time ready = std::max(d.schedule.front().head, agenda().now());
  if (backlog_ != nullptr)
    backlog_->add(agenda().now(), wire().framing->cost(*d.packet, d.packet->payload).data * d.packet->count);
  if (sender_.push(source, std::move(d)) && !(certain_ && grant_certain()))
    wake_by(direction_.transmitter().next_grant(ready));
}

bool Channel::grant_certain() {
  if (granting_) return true;  // who grants looks again
  if (backlog_ != nullptr || direction_.lookahead().reach() == Reach::single) return false;
  granting_ = true;
  const Time now = agenda().now();
  sender_.catch_up(now);
  Certain found = sender_.grant_certain(now, blocked_since_);
  for (; found == Certain::granted; found = sender_.grant_certain(now, blocked_since_))
    taken_until_ = std::exchange(blocked_since_, Time::max());
  granting_ = false;
  if (found == Certain::nothing) return true;
  // What is behind those that were granted has nobody yet who looks at it.
  if (blocked_since_ == Time::max())
    wake_by(direction_.transmitter().next_grant(std::max(now, sender_.queues().earliest_ready(now))));
  return false;
}

void Channel::offer(int source, Delivery&& d, Supply& more, std::uint64_t order) {
  if (backlog_ != nullptr) throw std::logic_error("what is made as it goes has no backlog that could be told");
  const Time ready = std::max(d.schedule.front().head, agenda().now());
  sender_.push(source, std::move(d), more, order);
  wake_by(direction_.transmitter().next_grant(ready));
}

bool Channel::takes(const flow::Packet& p) {
  const Time now = agenda().now();
  sender_.catch_up(now);
  const flow::Framing& framing = *wire().framing;
  return now >= taken_until_ && sender_.queues().busy() == 0 &&
         sender_.flow().may_go(framing.flow_class(p), framing.cost(p, p.payload), now);
}

void Channel::hold(flow::FlowClass c, Time until) {
  sender_.hold(c, until);
  if (blocked_since_ != Time::max()) wake_by(direction_.transmitter().next_grant(std::max(agenda().now(), until)));
}

void Channel::ring() {
  const Time now = agenda().now();
  sender_.catch_up(now);
  const Time earliest = sender_.wire_free(now);
  if (earliest > now) return agenda().arm(*this, earliest);
  Candidate chosen;
  Blocked blocked;
  if (!sender_.choose(now, chosen, blocked)) return wait_for(blocked, now);
  if (blocked_since_ != Time::max()) {
    direction_.counters().credit_wait += std::max(now, blocked_since_) - blocked_since_;
    blocked_since_ = Time::max();
  }
  const Time next = sender_.grant(chosen, now);
  if (next != Time::max()) arm_after_grant(chosen, next);
}

void Channel::wait_for(const Blocked& blocked, Time now) {
  Time next = blocked.ready_at;
  if (blocked.space) {
    blocked_since_ = std::min(blocked_since_, now);  // what waited alone after the last grant may be ready only later
    next = std::min(next, sender_.next_space(now));
  }
  if (blocked.replay_space) next = std::min(next, direction_.next_ack());
  if (next != Time::max()) wake_by(std::max(next, now));
}

void Channel::arm_after_grant(const Candidate& last, Time next) {
  if (sender_.lacks_space(last, next)) {
    // Nobody can be granted before a credit comes: whoever frees the space arms us.
    blocked_since_ = next;
    const Time space = sender_.next_space(next);
    if (space == Time::max()) return;
    next = direction_.transmitter().next_grant(std::max(next, space));
  }
  wake_by(next);
}

void Channel::slot_released(flow::FlowClass c, flow::Credits per_packet, Spans when, std::uint64_t) {
  sender_.freed(c, per_packet, when);
  if (backlog_ != nullptr)
    for (const Span& s : when) backlog_->leave(wire().told_at(s.tail), per_packet.data);
  if (space_ != nullptr) space_->space_freed(wire().told_at(when.back().tail));
  if (blocked_since_ == Time::max() || (certain_ && grant_certain())) return;
  const Time now = agenda().now();
  const Time space = sender_.next_space(c, std::max(now, blocked_since_));
  if (space != Time::max()) wake_by(direction_.transmitter().next_grant(std::max(now, space)));
}

bool Channel::all_credits_home() {
  sender_.catch_up(Time::max());
  return sender_.flow().all_home() && receiver_.empty();
}

void Channel::discard() {
  sender_.queues().abandon();
  receiver_.discard();
  space_ = nullptr;  // who listened may be gone before who gives space back
}

ChannelInfo Channel::info() const {
  ChannelInfo c;
  c.from_device = sender_.from().device->name();
  c.from_port = sender_.from().port_name();
  c.to_device = destination().name();
  c.to_port = receiver_.end().port_name();
  const WireSpec& w = wire();
  c.rate = w.rate;
  c.coding_data = w.coding_data;
  c.coding_line = w.coding_line;
  c.flight = w.flight;
  for (int i = 0; i < w.framing->classes(); ++i)
    c.classes.emplace_back(w.framing->class_name(static_cast<flow::FlowClass>(i)));
  return c;
}

std::string Channel::blocked_on() const {
  const std::string what = sender_.blocked_on();
  return what.empty() ? what : what + " of " + end_name();
}

}  // namespace tsunagi::net
