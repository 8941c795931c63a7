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

Time Channel::grant(Candidate& chosen, Time now) {
  before_grant(now);
  last_source_ = static_cast<std::int16_t>(chosen.source);
  last_class_ = chosen.c;
  reverse_->lookahead_.reverse_packet(now);
  const Waiting& w = queues_.front(chosen.source, chosen.c);
  const flow::Packet& p = *w.delivery.packet;
  Weight& weight = chosen.weight;
  transmitter_.weigh(weight);
  if (queues_.busy() > 1) lookahead_.keep_within(Reach::known);
  const std::int32_t most = lookahead_.reach() >= Reach::known ? 1 : wire_->framing->alike(p);
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
    if (k > 0) lookahead_.handed_on(at, w.delivery.schedule[w.first + static_cast<std::size_t>(k)].head);
    if (++k == most) break;
    at = transmitter_.next_grant(std::max(at, w.delivery.schedule[w.first + static_cast<std::size_t>(k)].head));
    if (k + 1 == p.count && p.last_payload != p.payload) {
      weigh(chosen.source, p, p.last_payload, weight);
      transmitter_.weigh(weight);
    }
  } while (may_follow(weight, at, chosen.c));
  hand_on(chosen.source, chosen.c, k, granted);
  return queues_.busy() == 0 ? Time::max() : transmitter_.next_grant(std::max(queues_.earliest_ready(now), now));
}

Time Channel::next_of(int source) const {
  if (queues_.has_ready(source, agenda_.now())) return Time::max();  // whatever else comes stands behind that
  return reverse_->to_->next_offer(reverse_->to_port_, source);
}

bool Channel::known(Time at, Time& until) {
  if (until == Time::max()) {  // not looked for yet
    const bool link_layer = wire_->link_layer.acks || wire_->link_layer.credit_updates;
    if (link_layer) until = reverse_->link_layer_.quiet_until(agenda_.now(), reverse_->next_at_link());
    constexpr int many = 64;
    const Time any = reverse_->to_->next_offer(reverse_->to_port_);
    if (at < any || tx_->sources > many) until = std::min(until, any);
    const int sources = at < any ? 0 : tx_->sources;
    if (sources > 0 && until > at) until = std::min(until, next_of(open_source_));  // an idle source is idle for long
    for (int s = 0; s < sources && until > at; ++s) {
      const Time next = next_of(s);
      if (next <= at) open_source_ = static_cast<std::int16_t>(s);
      until = std::min(until, next);
    }
  }
  if (at >= until) return false;
  // What is due goes before the next packet. An ACK covers what is there by then: that has to be known, too.
  LinkLayer& theirs = reverse_->link_layer_;
  if (theirs.next_due() > at) return true;
  if (theirs.ack_due() <= at && theirs.ack_due() >= reverse_->next_at_link()) return false;
  counters_.dllps += theirs.settle(at, timeline(), reverse_->transmitter_.errors(), observer_);
  return true;
}

bool Channel::get_known(Time& at, Time& until) {
  while (known(at, until)) {
    const Time later = transmitter_.next_grant(at);  // link-layer packets may have taken the wire
    if (later == at) return true;
    at = later;
  }
  return false;
}

Time Channel::grant_known(Candidate& chosen, Time now) {
  before_grant(now);
  Time until = Time::max();
  Time at = now;
  Granted piece;
  int source = chosen.source;
  flow::FlowClass c = chosen.c;
  std::int32_t most = wire_->framing->alike(*queues_.front(source, c).delivery.packet);
  for (;;) {
    last_source_ = static_cast<std::int16_t>(source);
    last_class_ = c;
    reverse_->lookahead_.reverse_packet(at);
    Waiting& w = queues_.front(source, c);
    if (at > now) lookahead_.handed_on(at, w.next().head);
    Span ready = w.next();
    ready.head = std::max(ready.head, at);
    transmitter_.weigh(chosen.weight);
    grant_one(w, chosen.weight, ready, c, piece);
    std::int32_t k = ++w.granted;
    if (k == most) {
      hand_on(source, c, std::exchange(k, 0), piece);
      if (queues_.busy() == 0) return Time::max();
    }
    at = transmitter_.next_grant(std::max(queues_.earliest_ready(now), now));
    if (until != Time::max()) until = std::min(until, next_of(source));
    Candidate next;
    Blocked blocked;
    const bool more = get_known(at, until) && choose(at, next, blocked) && !blocked.credit && !blocked.replay_space;
    if (k > 0 && (!more || next.source != source || next.c != c)) hand_on(source, c, std::exchange(k, 0), piece);
    if (!more) return at;
    chosen = next;
    source = next.source;
    c = next.c;
    if (k == 0) most = wire_->framing->alike(*queues_.front(source, c).delivery.packet);
  }
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
  const Passage p = transmitter_.send(ready, weight, link_layer_, reverse_->timeline(), observer_);
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
  if (observed()) tell_hop(w, weight, c, p, in);
}

void Channel::tell_hop(const Waiting& w, const Weight& weight, flow::FlowClass c, const Passage& p, Span arrived) {
  const Time now = agenda_.now();
  const flow::Packet& packet = *w.delivery.packet;
  Kept& kept = (*kept_)[static_cast<std::size_t>(last_source_ * classes_ + c)];
  observer_.listener->hop({packet.id, packet.parent, observer_.channel, last_source_, c, kept.by, kept.since, w.next(),
                           now, p.datapath, p.piped, p.first_try, p.wire, p.wire.tail + wire_->flight, arrived,
                           weight.size});
  kept = {};
  if (credits_[c].finite()) observer_.listener->credits({observer_.channel, c, now, credits_[c].free()});
}

void Channel::put_under_way(flow::FlowClass c, Delivery&& d) {
  const flow::Packet& p = *d.packet;
  if (credits_[c].finite())
    d.slot = Slot(*this, c, wire_->framing->cost(p, p.payload), wire_->framing->cost(p, p.last_payload), p.count);
  if (ahead_ && in_flight_.empty() && to_->takes_ahead(to_port_, p)) return to_->receive(to_port_, std::move(d));
  const Time first = d.schedule.front().head;
  in_flight_.push_back(std::move(d));
  if (in_flight_.size() == 1) agenda_.arm(arrive_alarm_, first);
}

void Channel::hand_on(int source, flow::FlowClass c, std::int32_t k, Granted& granted) {
  Waiting& w = queues_.front(source, c);
  w.granted = 0;
  Slot upstream = std::move(w.delivery.slot);
  const std::uint64_t id = w.delivery.packet->id;
  const bool whole = k == w.delivery.packet->count;
  Delivery d;
  if (whole) {
    d.packet = std::move(w.delivery.packet);
    queues_.pop(source, c);
  } else {
    d.packet = flow::PacketPool::split_front(*w.delivery.packet, k);
    w.first += static_cast<std::size_t>(k);
  }
  if (rx_->rx.trains || k == 1) {
    d.schedule = std::move(granted.arrives);
    put_under_way(c, std::move(d));
  } else {
    for (std::int32_t i = 0; i < k; ++i) {
      Delivery one;
      one.packet = i + 1 < k ? flow::PacketPool::split_front(*d.packet, 1) : std::move(d.packet);
      one.schedule = Schedule(granted.arrives[static_cast<std::size_t>(i)]);
      put_under_way(c, std::move(one));
    }
    granted.arrives.clear();
  }
  // Last, because whoever gets the space back may send more, by this very channel.
  upstream.release(granted.left, id);
  granted.left.clear();
  if (!whole) queues_.front(source, c).delivery.slot = std::move(upstream);
}

}  // namespace tsunagi::net
