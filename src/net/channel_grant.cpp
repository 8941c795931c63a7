// SPDX-License-Identifier: Apache-2.0
// How far a train is granted, what each of its packets weighs, and when it arrives.
#include <algorithm>
#include <utility>

#include "net/channel.hpp"

namespace tsunagi::net {

void Channel::before_grant(Time now) {
  timeline().forget_before(now);
  if (const Bytes again = link_layer_.take_duplicates(now); again > Bytes::zero()) {
    transmitter_.send_duplicates(now, again);
    ++counters_.replays;
  }
}

void Channel::grant(Candidate& chosen, Time now) {
  before_grant(now);
  last_source_ = static_cast<std::int16_t>(chosen.source);
  last_class_ = chosen.c;
  reverse_->lookahead_.reverse_packet(now);
  const Waiting& w = queues_.front(chosen.source, chosen.c);
  const flow::Packet& p = *w.delivery.packet;
  Weight& weight = chosen.weight;
  transmitter_.weigh(weight);
  if (queues_.busy() > 1) lookahead_.keep_within(Reach::single);
  const std::int32_t most = lookahead_.reach() == Reach::single ? 1 : wire_->framing->alike(p);
  Granted granted;
  if (lookahead_.reach() == Reach::full) {
    granted.left.reserve(static_cast<std::size_t>(most));
    granted.arrives.reserve(static_cast<std::size_t>(most));
  }
  Time at = now;
  std::int32_t k = 0;
  do {
    Span ready = w.delivery.schedule[w.first + static_cast<std::size_t>(k)];
    ready.head = std::max(ready.head, at);
    grant_one(w, weight, ready, chosen.c, granted);
    if (k > 0) lookahead_.handed_on(at);
    if (++k == most) break;
    at = transmitter_.next_grant(std::max(at, w.delivery.schedule[w.first + static_cast<std::size_t>(k)].head));
    if (k + 1 == p.count && p.last_payload != p.payload) {
      weigh(chosen.source, p, p.last_payload, weight);
      transmitter_.weigh(weight);
    }
  } while (may_follow(weight, at, chosen.c));
  hand_on(chosen, k, std::move(granted));
}

bool Channel::may_follow(const Weight& weight, Time& at, flow::FlowClass c) {
  const Bytes size = weight.size.total();
  const Time first = at;
  const Time limit = lookahead_.reach() == Reach::full ? Time::max() : agenda_.now() + bound();
  for (;;) {
    if (at >= limit) return false;
    if (reverse_->link_layer_.next_due() <= at || link_layer_.duplicates_due() <= at) return false;
    const bool covered = credits_[c].covers(weight.needs);
    if (covered && link_layer_.has_replay_space(size)) break;
    if (lookahead_.reach() != Reach::full) return false;
    const Time known = foresee(!covered);
    if (known == Time::max()) return false;
    at = transmitter_.next_grant(std::max(at, known));
    if (!certain(at)) return false;
    lookahead_.relied_on(at);
    catch_up(at);
  }
  counters_.credit_wait += at - first;
  return true;
}

Time Channel::bound() const {
  const LinkLayerSpec& l = wire_->link_layer;
  Time t = Time::from_fs(1'000'000'000'000'000);
  if (l.acks) t = wire_->flight + l.ack_delay;
  if (l.credit_updates) t = std::min(t, l.update_delay);
  return t;
}

Time Channel::foresee(bool credit) {
  for (;;) {
    const Time told = credit ? link_layer_.told_credit() : link_layer_.told_ack();
    if (told != Time::max()) return told;
    // Nothing has been sent yet: place what falls due, if that will bring it.
    if ((credit ? link_layer_.update_due() : link_layer_.ack_due()) == Time::max()) return Time::max();
    if (!certain(link_layer_.next_due())) return Time::max();
    settle_reverse(link_layer_.next_due());
  }
}

bool Channel::certain(Time at) {
  const Time known = link_layer_.known_until(agenda_.now());
  if (at <= known) return true;
  settle_reverse(known);
  return link_layer_.next_due() > at;
}

void Channel::grant_one(const Waiting& w, const Weight& weight, Span ready, flow::FlowClass c, Granted& out) {
  const Passage p = transmitter_.send(ready, weight, link_layer_, reverse_->timeline(), ear_);
  counters_.replays += p.replays;
  out.left.push_back({p.left, p.left});
  Span there{p.wire.head + wire_->flight, p.wire.tail + wire_->flight};
  link_layer_.sent(there.tail, weight.size.total());
  if (rx_->rx.store_and_forward) there.head = there.tail;
  Span in;
  in.tail = rx_->rx.pipeline.apply(there.tail);
  in.head = there.head == there.tail ? in.tail : rx_->rx.pipeline.apply(there.head);
  out.arrives.push_back(in);
  if (credits_[c].finite()) {
    credits_[c].spend(weight.cost);
    link_layer_.spent(there.tail, c, weight.cost);
  }
  counters_.count(weight.size);
  if (heard()) tell_hop(w, weight, c, p, in);
}

void Channel::tell_hop(const Waiting& w, const Weight& weight, flow::FlowClass c, const Passage& p, Span arrived) {
  const Time now = agenda_.now();
  const flow::Packet& packet = *w.delivery.packet;
  Kept& kept = (*kept_)[static_cast<std::size_t>(last_source_ * classes_ + c)];
  ear_.listener->hop({packet.id, packet.parent, ear_.channel, last_source_, c, kept.by, kept.since, w.next(), now,
                      p.datapath, p.piped, p.first_try, p.wire, p.wire.tail + wire_->flight, arrived, weight.size});
  kept = {};
  if (credits_[c].finite()) ear_.listener->credits({ear_.channel, c, now, credits_[c].free()});
}

void Channel::hand_on(const Candidate& chosen, std::int32_t k, Granted&& granted) {
  Waiting& w = queues_.front(chosen.source, chosen.c);
  Slot upstream = std::move(w.delivery.slot);
  const std::uint64_t id = w.delivery.packet->id;
  const bool whole = k == w.delivery.packet->count;
  Delivery d;
  if (whole) {
    d.packet = std::move(w.delivery.packet);
    queues_.pop(chosen.source, chosen.c);
  } else {
    d.packet = flow::PacketPool::split_front(*w.delivery.packet, k);
    w.first += static_cast<std::size_t>(k);
  }
  const flow::Packet& p = *d.packet;
  if (credits_[chosen.c].finite())
    d.slot = Slot(*this, chosen.c, wire_->framing->cost(p, p.payload), wire_->framing->cost(p, p.last_payload), k);
  d.schedule = std::move(granted.arrives);
  const Time first = d.schedule.front().head;
  in_flight_.push_back(std::move(d));
  if (in_flight_.size() == 1) agenda_.arm(arrive_alarm_, first);
  // Last, because whoever gets the space back may send more, by this very channel.
  upstream.release(granted.left, id);
  if (!whole) queues_.front(chosen.source, chosen.c).delivery.slot = std::move(upstream);
}

}  // namespace tsunagi::net
