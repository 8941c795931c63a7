// SPDX-License-Identifier: Apache-2.0
#include "net/sending/sender.hpp"

#include <stdexcept>
#include <string>
#include <utility>

#include "net/device.hpp"
#include "net/sending/horizon.hpp"

namespace tsunagi::net {

Sender::Sender(WireEnd from, Direction& direction, Receiver& receiver)
    : direction_(direction),
      queues_(from.spec().sources, framing().classes()),
      flow_(direction.wire(), framing().classes(), receiver.spec().buffers_for(direction.wire().max_payload)),
      arbiter_(direction, from.spec(), queues_, flow_, report_),
      sources_(static_cast<std::int16_t>(from.spec().sources)),
      receiver_(receiver),
      from_(from) {}

flow::FlowClass Sender::comes(int source, const Delivery& d) {
  const flow::FlowClass c = framing().flow_class(*d.packet);
  const Time ready = d.schedule.front().head;
  if (d.packet->payload > direction_.wire().max_payload)
    throw std::logic_error("a packet of " + std::to_string(d.packet->payload.count()) +
                           " B exceeds the wire's max payload");
  if (!arbiter_.was_last(source, c)) {
    const bool by_age = arbiter_.arbitration().by_age();
    const bool same = by_age && source == arbiter_.last_source();
    // What stands behind an older packet of its source competes when that has gone, or while it lacks space.
    if (!by_age || !queues_.has_ready(source, ready)) lookahead().rival(ready, same);
    if (same && framing().may_pass(c, arbiter_.last_class())) lookahead().passes(ready);
  }
  return c;
}

bool Sender::push(int source, Delivery&& d) {
  const flow::FlowClass c = comes(source, d);
  return queues_.push(source, c, std::move(d));
}

void Sender::push(int source, Delivery&& d, Supply& more, std::uint64_t order) {
  const flow::FlowClass c = comes(source, d);
  queues_.push(source, c, std::move(d), &more, order);
}

bool Sender::lacks_space(const Candidate& last, Time t) {
  if (queues_.busy() != 1 || queues_.empty(last.source, last.c) || arbiter_.has_room(last.source, last.c, t))
    return false;
  report_.note(last.source, last.c, flow_.by_credits() ? BlockedBy::credit : BlockedBy::stop, t);
  return true;
}

void Sender::freed(flow::FlowClass c, flow::Credits per_packet, Spans when) {
  if (flow_.drops()) return receiver_.freed(c, per_packet, when);
  if (!flow_.by_credits()) return flow_.freed(c, per_packet, when);
  lookahead().released(when.front().tail, when.back().tail);
  direction_.owed().credits.freed(c, per_packet, when);
}

Time Sender::grant_train(Candidate& chosen, Time now) {
  direction_.packet_granted(now);
  Waiting& w = queues_.front(chosen.source, chosen.c);
  const flow::Packet& p = *w.delivery.packet;
  Weight& weight = chosen.weight;
  transmitter().weigh(weight);
  if (queues_.busy() > 1) lookahead().keep_within(Reach::known);
  const bool one = lookahead().reach() >= Reach::known || direction_.wire().held;
  const std::int32_t most = one ? 1 : framing().alike(p);
  Granted granted;
  if (lookahead().reach() == Reach::full) granted.arrives.reserve(static_cast<std::size_t>(most));
  Time at = now;
  Time last = now;  // time of a grant
  do {
    last = at;
    if (w.granted > 0) lookahead().handed_on(at, w.next().head);
    grant_one(chosen, w, at, granted);
    if (w.granted == most) break;
    at = transmitter().next_grant(std::max(at, w.next().head));
    if (w.granted + 1 == p.count && p.last_payload != p.payload) {
      arbiter_.weigh(chosen.source, p, p.last_payload, weight);
      transmitter().weigh(weight);
    }
  } while (may_follow(weight, at, chosen.c));
  hand_on(chosen.source, chosen.c, granted);
  return queues_.busy() == 0 ? Time::max() : next_grant(last);
}

Time Sender::grant_known(Candidate& chosen, Time now) {
  Horizon horizon(direction_, queues_, *from_.device, from_.port, sources_, open_source_, now);
  Time at = now;
  Granted granted;
  std::int32_t most = framing().alike(*queues_.front(chosen.source, chosen.c).delivery.packet);
  for (;;) {
    const int source = chosen.source;
    const flow::FlowClass c = chosen.c;
    direction_.packet_granted(at);
    Waiting& w = queues_.front(source, c);
    if (at > now) lookahead().handed_on(at, w.next().head);
    transmitter().weigh(chosen.weight);
    grant_one(chosen, w, at, granted);
    bool some = w.granted < most;  // packets that have been granted are still in the queue
    if (!some) {
      hand_on(source, c, granted);
      if (queues_.busy() == 0) return Time::max();
    }
    at = next_grant(at);
    horizon.granted(source);
    Blocked blocked;
    const bool more =
        horizon.reaches(at) && arbiter_.choose(at, chosen, blocked) && !blocked.space && !blocked.replay_space;
    if (some && (!more || chosen.source != source || chosen.c != c)) {
      hand_on(source, c, granted);
      some = false;
    }
    if (!more) {
      chosen.source = source;
      chosen.c = c;
      return at;
    }
    if (!some) most = framing().alike(*queues_.front(chosen.source, chosen.c).delivery.packet);
  }
}

bool Sender::may_follow(const Weight& weight, Time& at, flow::FlowClass c) {
  const Time first = at;
  const bool full = lookahead().reach() == Reach::full;
  const Time limit = full ? Time::max() : agenda().now() + direction_.unaffected();
  Time told = Time::from_fs(-1);  // what reaches the sender by then is counted on
  bool waits = false;
  for (;;) {
    if (at >= limit || direction_.dllp_due(at)) return false;
    const bool room = direction_.has_room(flow_, c, weight.needs, at, told);
    if (room && direction_.owed().acks.has_space(weight.size.total(), told)) break;
    if (!full || (!room && !flow_.by_credits())) return false;
    const Time known = direction_.foresee(!room, told);
    if (known == Time::max()) return false;
    if (!room && known > at) waits = true;
    at = transmitter().next_grant(std::max(at, known));
    if (!direction_.certain(at)) return false;
    told = at;
  }
  // Not before it is certain that the packet goes: until then another one could, without what comes later.
  if (told >= Time::zero()) {
    lookahead().relied_on(at);
    if (at > first) lookahead().waited(at);
    direction_.catch_up(at, flow_);
  }
  if (waits) direction_.counters().credit_wait += at - first;
  return true;
}

bool Sender::can_be_certain() const {
  const PortSpec& port = from_.spec();
  const WireSpec& wire = direction_.wire();
  return port.in_order && sources_ == 1 && port.reserve.empty() && port.arbitration.plain() &&
         port.arbitration.by_age() && !framing().in_worms() && flow_.by_credits() && !wire.held &&
         !wire.link_layer.acks && !wire.link_layer.credit_updates && wire.bit_error_rate == 0 &&
         wire.skip.length == Time::zero();
}

bool Sender::unpassed(flow::FlowClass c) const {
  for (int other = 0; other < framing().classes(); ++other)
    if (other != c && framing().may_pass(static_cast<flow::FlowClass>(other), c)) return false;
  return true;
}

Time Sender::when_room(const Weight& weight, Time at, flow::FlowClass c) {
  const CreditUpdates& credits = direction_.owed().credits;
  for (Time told = Time::from_fs(-1); !direction_.has_room(flow_, c, weight.needs, at, told); told = at) {
    const Time known = credits.told_after(told);
    if (known == Time::max()) return known;
    at = transmitter().next_grant(std::max(at, known));
  }
  // What is told of other classes must not be known before its time.
  return credits.tells_only(at, c) ? at : Time::max();
}

Certain Sender::grant_certain(Time now, Time& blocked_since) {
  if (queues_.busy() == 0) return Certain::nothing;
  const flow::FlowClass c = queues_.oldest_class(0);
  Waiting& w = queues_.front(0, c);
  const flow::Packet& p = *w.delivery.packet;
  if (p.count != 1) return Certain::open;
  Candidate chosen;
  chosen.source = 0;
  chosen.c = c;
  arbiter_.weigh(0, p, p.last_payload, chosen.weight);
  const Time first = transmitter().next_grant(std::max(now, w.next().head));
  Time at = first;
  if (!flow_.may_go(c, chosen.weight.needs, now)) {
    if (!unpassed(c)) return Certain::open;
    at = when_room(chosen.weight, first, c);
    if (at == Time::max()) {
      if (direction_.next_credit() != Time::max()) return Certain::open;
      blocked_since = std::min(blocked_since, first);
      return Certain::nothing;
    }
    direction_.catch_up(at, flow_);
  }
  const Time since = std::min(blocked_since, first);
  direction_.counters().credit_wait += std::max(at, since) - since;
  if (at > now) lookahead().handed_on(at, w.next().head);
  direction_.before_packet(at);
  direction_.packet_granted(at);
  transmitter().weigh(chosen.weight);
  Granted granted;
  grant_one(chosen, w, at, granted);
  hand_on(0, c, granted);
  blocked_since = at;
  return Certain::granted;
}

void Sender::grant_one(const Candidate& chosen, Waiting& w, Time at, Granted& granted) {
  const Weight& weight = chosen.weight;
  const Passage p = direction_.send(at, w.next().tail, weight);
  const Time flight = direction_.wire().flight;
  const Time landed = p.complete + flight;
  const Span arrived = receiver_.arrival({p.wire.head, p.complete}, flight);
  granted.left.push_back({p.left, p.left});
  granted.arrives.push_back(arrived);
  granted.space = weight.cost;
  const bool counts = flow_.counts(chosen.c);
  if (counts) flow_.spend(chosen.c, weight.cost, landed);
  direction_.packet_sent(landed, chosen.c, counts && flow_.by_credits(), weight);
  arbiter_.granted(chosen, *w.delivery.packet, w.granted);
  report_.granted(w, chosen.source, chosen.c, agenda().now(), p, arrived, landed, weight.size, flow_.account(chosen.c));
  ++w.granted;
}

void Sender::hand_on(int source, flow::FlowClass c, Granted& granted) {
  Waiting& w = queues_.front(source, c);
  const std::int32_t k = std::exchange(w.granted, 0);
  Slot upstream = std::move(w.delivery.slot);
  const std::uint64_t id = w.delivery.packet->id;
  const bool whole = k == w.delivery.packet->count;
  {
    Delivery d;
    d.schedule = std::move(granted.arrives);
    if (whole) {
      d.packet = std::move(w.delivery.packet);
      queues_.pop(source, c);
    } else {
      d.packet = flow::PacketPool::split_front(*w.delivery.packet, k);
      w.first += static_cast<std::size_t>(k);
    }
    receiver_.take(c, flow_.counts(c), granted.space, std::move(d));
  }
  // Last, because whoever gets the space back may send more, by this very channel.
  upstream.release(granted.left, id);
  granted.left.clear();
  if (!whole) queues_.front(source, c).delivery.slot = std::move(upstream);
}

std::string Sender::blocked_on() const {
  if (queues_.busy() == 0) return {};
  for (int s = 0; s < sources_; ++s)
    for (std::uint64_t bits = queues_.busy_classes(s); bits != 0; bits &= bits - 1) {
      const auto c = static_cast<flow::FlowClass>(__builtin_ctzll(bits));
      if (arbiter_.has_room(s, c, agenda().now())) continue;
      const Waiting& w = queues_.front(s, c);
      const bool never = flow_.account(c).exceeds(framing().cost(*w.delivery.packet, w.next_payload()));
      const std::string name(framing().class_name(c));
      if (flow_.by_credits()) return never ? "more " + name + " credits than there are" : name + " credits";
      return never ? "more " + name + " buffer than there is" : name + " buffer";
    }
  return {};
}

}  // namespace tsunagi::net
