// SPDX-License-Identifier: Apache-2.0
#include "net/channel.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "net/device.hpp"

namespace tsunagi::net {

namespace {

/// The reverse flow counts as active for as long after its last packet as this many of ours take.
constexpr std::int64_t reverse_memory = Schedule::longest;

}  // namespace

Channel::Channel(sim::Simulation& sim, const WireSpec& wire, const PortSpec& tx, const PortSpec& rx, Device& to,
                 int to_port)
    : agenda_(sim.agenda()),
      wire_(&wire),
      tx_(&tx),
      rx_(&rx),
      to_(&to),
      to_port_(to_port),
      classes_(wire.framing->classes()),
      link_layer_(wire, classes_),
      timeline_(wire.rate, wire.skip) {
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

void Channel::offer(int source, Delivery d) {
  const flow::FlowClass c = wire_->framing->flow_class(*d.packet);
  const Time ready = d.schedule.front().head;
  if (d.packet->payload > wire_->max_payload)
    throw std::logic_error("a packet of " + std::to_string(d.packet->payload.count()) +
                           " B exceeds the wire's max payload");
  if (credits_[c].exceeds(wire_->framing->cost(*d.packet, d.packet->payload)))
    throw std::runtime_error("a packet is larger than the receiver's whole " +
                             std::string(wire_->framing->class_name(c)) + " buffer");
  if (queues_.empty()) queues_.resize(static_cast<std::size_t>(tx_->sources * classes_));  // an idle wire has none
  auto& q = queue(source, c);
  if (!q.empty() && join(q.back(), d)) return;
  if (q.empty()) ++busy_queues_;
  q.push_back({std::move(d), ++orders_, 0});
  ++queued_;
  agenda_.arm_by(send_alarm_, next_grant(std::max(ready, agenda_.now())));
}

bool Channel::join(Waiting& last, Delivery& d) {
  flow::Packet& p = *last.delivery.packet;
  const auto together = static_cast<std::size_t>(p.count) + d.schedule.size();
  if (together > Schedule::longest || !p.continues_with(*d.packet) || !last.delivery.slot.absorb(d.slot)) return false;
  Schedule joined;
  for (std::size_t i = last.first; i < last.delivery.schedule.size(); ++i) joined.push_back(last.delivery.schedule[i]);
  for (const Span& s : d.schedule) joined.push_back(s);
  last.delivery.schedule = std::move(joined);
  last.first = 0;
  p.count += d.packet->count;
  p.last_payload = d.packet->last_payload;
  p.value = d.packet->value;
  return true;
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

Channel::Candidate Channel::choose(Time now, Time& ready_at, Lack& lack) {
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
      const flow::Packet& p = *w.delivery.packet;
      if (!credits_[c].covers(wire_->framing->cost(p, p.payload))) {
        lack.credit = true;
        continue;
      }
      if (!link_layer_.has_replay_space(wire_->framing->size(p, p.payload).total())) {
        lack.replay_space = true;
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
  const Time earliest = next_grant(now);
  if (earliest > now) {
    agenda_.arm(send_alarm_, earliest);
    return;
  }
  Time ready_at = Time::max();
  Lack lack;
  const Candidate chosen = choose(now, ready_at, lack);
  if (chosen.source >= 0) {
    if (blocked_since_ != Time::max()) {
      counters_.credit_wait += std::max(now, blocked_since_) - blocked_since_;
      blocked_since_ = Time::max();
    }
    grant(chosen, now);
    if (queued_ != 0) arm_after_grant(chosen, now);
    return;
  }
  if (lack.credit) {
    if (blocked_since_ == Time::max()) blocked_since_ = now;
    ready_at = std::min(ready_at, link_layer_.next_credit(reverse_->timeline_));
  }
  if (lack.replay_space) ready_at = std::min(ready_at, link_layer_.next_ack(reverse_->timeline_));
  if (ready_at != Time::max()) agenda_.arm_by(send_alarm_, std::max(ready_at, now));
}

void Channel::arm_after_grant(Candidate granted, Time now) {
  Time next = next_grant(std::max(earliest_ready(), now));
  const auto& q = queue(granted.source, granted.c);
  if (busy_queues_ == 1 && !q.empty()) {
    const flow::Packet& p = *q.front().delivery.packet;
    if (!credits_[granted.c].covers(wire_->framing->cost(p, p.payload))) {
      // Nobody can be granted before a credit comes: whoever frees the space arms us.
      blocked_since_ = next;
      const Time credit = link_layer_.next_credit(reverse_->timeline_);
      if (credit == Time::max()) return;
      next = next_grant(std::max(next, credit));
    }
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

Channel::Weight Channel::weigh(const flow::Packet& p, Bytes payload) const {
  Weight w;
  w.size = wire_->framing->size(p, payload);
  w.cost = wire_->framing->cost(p, payload);
  w.length = timeline_.duration(w.size.total());
  if (tx_->tx.datapath) w.beats = units_of(w.size.header + w.size.payload, tx_->tx.datapath->width);
  return w;
}

Span Channel::serialise(const Span& ready, const Weight& weight, const flow::Packet& p, std::int32_t index,
                        Time& left) {
  Span in = ready;
  const TxSpec& tx = tx_->tx;
  if (tx.datapath) {
    const Clock& clock = tx.datapath->clock;
    // Beats follow each other without a gap: start so late that the last one is there in time.
    std::int64_t edge = clock.index_at_or_after(std::max(ready.head, datapath_free_));
    edge = std::max(edge, clock.index_at_or_after(ready.tail) - weight.beats);
    in = {clock.edge(edge), clock.edge(edge + weight.beats)};
    datapath_free_ = in.tail;
    tell(p, index, Stage::datapath, in.head, in.tail);
  }
  const Span out{tx.pipeline.apply(in.head), tx.pipeline.apply(in.tail)};
  if (out.head != in.head) tell(p, index, Stage::pipeline, in.head, out.head);
  const Bytes size = weight.size.total();
  Span wire = timeline_.place_packet(std::max(out.head, out.tail - weight.length), size, tx.word_clock);
  if (errors_ != nullptr) wire = replay(wire, size, p, index);
  left = tx.datapath ? in.tail : wire.tail;
  tell(p, index, Stage::serialise, wire.head, wire.tail);
  return wire;
}

void Channel::before_grant(Time now) {
  reverse_->settle_reverse(now);
  timeline_.forget_before(now);
  if (const Bytes again = link_layer_.take_duplicates(now); again > Bytes::zero()) {
    timeline_.place_packet(now, again, tx_->tx.word_clock);
    ++counters_.replays;
  }
}

void Channel::grant(Candidate chosen, Time now) {
  before_grant(now);
  last_grant_ = now;
  last_source_ = chosen.source;
  const Waiting& w = queue(chosen.source, chosen.c).front();
  const flow::Packet& p = *w.delivery.packet;
  Weight weight = weigh(p, p.payload_of(0));
  contended_ = contended_ || busy_queues_ > 1;
  // Bit errors are drawn in the order of what passes the wire: nothing is granted ahead of a lost DLLP.
  const std::int32_t most = contended_ || errors_ != nullptr ? 1 : p.count;
  Granted granted;
  granted.left.reserve(static_cast<std::size_t>(most));
  granted.arrives.reserve(static_cast<std::size_t>(most));
  Time at = now;
  std::int32_t k = 0;
  do {
    Span ready = w.delivery.schedule[w.first + static_cast<std::size_t>(k)];
    tell(p, k, Stage::queue, ready.head, std::max(ready.head, at));
    ready.head = std::max(ready.head, at);
    grant_one(p, k, weight, ready, chosen.c, granted);
    if (++k == most) break;
    at = next_grant(std::max(at, w.delivery.schedule[w.first + static_cast<std::size_t>(k)].head));
    if (k + 1 == p.count && p.last_payload != p.payload) weight = weigh(p, p.last_payload);
  } while (may_follow(weight, at, chosen.c));
  hand_on(chosen, k, std::move(granted));
}

bool Channel::may_follow(const Weight& weight, Time& at, flow::FlowClass c) {
  const Bytes size = weight.size.total();
  const Time first = at;
  for (;;) {
    if (reverse_->link_layer_.next_due() <= at || link_layer_.duplicates_due() <= at) return false;
    const bool covered = credits_[c].covers(weight.cost);
    if (covered && link_layer_.has_replay_space(size)) break;
    // Packets of the reverse flow move the DLLPs that would be placed ahead between them.
    if (reverse_->last_grant_ + reverse_memory * weight.length > agenda_.now()) return false;
    const Time known = foresee(!covered);
    if (known == Time::max()) return false;
    at = next_grant(std::max(at, known));
    catch_up(at);
  }
  counters_.credit_wait += at - first;
  return true;
}

Time Channel::foresee(bool credit) {
  for (;;) {
    const Time told = credit ? link_layer_.told_credit() : link_layer_.told_ack();
    if (told != Time::max()) return told;
    // Nothing has been sent yet: place what falls due, if that will bring it.
    if ((credit ? link_layer_.update_due() : link_layer_.ack_due()) == Time::max()) return Time::max();
    settle_reverse(link_layer_.next_due());
  }
}

void Channel::grant_one(const flow::Packet& p, std::int32_t i, const Weight& weight, Span ready, flow::FlowClass c,
                        Granted& out) {
  Time gone;
  const Span wire = serialise(ready, weight, p, i, gone);
  out.left.push_back({gone, gone});
  Span there{wire.head + wire_->flight, wire.tail + wire_->flight};
  tell(p, i, Stage::flight, wire.tail, there.tail);
  link_layer_.sent(there.tail, weight.size.total());
  if (rx_->rx.store_and_forward) there.head = there.tail;
  Span in;
  in.tail = rx_->rx.pipeline.apply(there.tail);
  in.head = there.head == there.tail ? in.tail : rx_->rx.pipeline.apply(there.head);
  tell(p, i, Stage::pipeline, there.tail, in.tail);
  out.arrives.push_back(in);
  if (credits_[c].finite()) credits_[c].spend(weight.cost);
  counters_.count(weight.size);
}

void Channel::hand_on(Candidate chosen, std::int32_t k, Granted granted) {
  auto& q = queue(chosen.source, chosen.c);
  Waiting& w = q.front();
  w.delivery.slot.release(granted.left);
  Delivery d;
  if (k == w.delivery.packet->count) {
    d.packet = std::move(w.delivery.packet);
    q.pop_front();
    --queued_;
    if (q.empty()) --busy_queues_;
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
}

void Channel::deliver() {
  Delivery d = in_flight_.take_front();
  if (!in_flight_.empty()) agenda_.arm(arrive_alarm_, in_flight_.front().schedule.front().head);
  to_->receive(to_port_, std::move(d));
}

Span Channel::replay(Span wire, Bytes size, const flow::Packet& p, std::int32_t index) {
  const Time first = wire.head;
  while (errors_->hit(size)) {
    // Packets that a real sender pushes out before the NAK reaches it are dropped and sent again in
    // order; leaving them out moves no arrival.
    ++counters_.replays;
    const Time again = link_layer_.corrupted(wire.tail + wire_->flight, reverse_->timeline_.free(), *errors_);
    wire = timeline_.place_packet(again, size, tx_->tx.word_clock);
  }
  if (wire.head != first) tell(p, index, Stage::replay, first, wire.head);
  return wire;
}

void Channel::catch_up(Time now) {
  settle_reverse(now);
  reverse_->timeline_.forget_before(agenda_.now());  // else a wire without packets would keep every DLLP
  link_layer_.harvest(now, credits_);
}

void Channel::settle_reverse(Time now) {
  reverse_->counters_.dllps += link_layer_.settle(now, reverse_->timeline_, errors_.get());
}

void Channel::slot_released(flow::FlowClass c, flow::Credits per_packet, const Schedule& when) {
  link_layer_.freed(c, per_packet, when);
  if (blocked_since_ != Time::max())
    agenda_.arm_by(send_alarm_, next_grant(std::max(agenda_.now(), link_layer_.next_credit(reverse_->timeline_))));
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

std::string Channel::blocked_on() const {
  if (queued_ == 0) return {};
  for (int s = 0; s < tx_->sources; ++s)
    for (int i = 0; i < classes_; ++i) {
      const auto c = static_cast<flow::FlowClass>(i);
      const auto& q = queue(s, c);
      if (q.empty()) continue;
      const flow::Packet& p = *q.front().delivery.packet;
      if (!credits_[c].covers(wire_->framing->cost(p, p.payload)))
        return std::string(wire_->framing->class_name(c)) + " credits of " + end_name();
    }
  return {};
}

}  // namespace tsunagi::net
