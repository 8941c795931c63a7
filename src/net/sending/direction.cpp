// SPDX-License-Identifier: Apache-2.0
#include "net/sending/direction.hpp"

namespace tsunagi::net {

Direction::Direction(sim::Agenda& agenda, const WireSpec& wire, const PortSpec& tx, const PortSpec& rx,
                     Foresight& foresight, std::uint32_t number, std::uint32_t like)
    : agenda_(agenda),
      answered_(wire.link_layer.acks || wire.link_layer.credit_updates || wire.bit_error_rate > 0 || wire.flits.any()),
      lookahead_(foresight, like),
      transmitter_(wire, tx.tx),
      owed_(wire, wire.framing->classes(), rx.rx.buffers_for(wire.max_payload)) {
  observer_.channel = number;
}

void Direction::place_due(Time now) {
  opposite_->lookahead_.link_layer_packet(owed_.next_due());
  if (now > agenda_.now()) lookahead_.relied_on(now);
  opposite_->counters_.dllps +=
      owed_.settle(now, opposite_->transmitter_.timeline(), transmitter_.errors(), opposite_->observer_);
}

void Direction::before_packet(Time now) {
  transmitter_.timeline().forget_before(now);
  const Bytes again = owed_.acks.take_duplicates(now);
  if (again == Bytes::zero()) return;
  transmitter_.send_duplicates(now, again);
  ++counters_.replays;
}

Time Direction::unaffected() const {
  const LinkLayerSpec& l = wire().link_layer;
  Time t = Time::from_fs(1'000'000'000'000'000);
  if (l.acks) t = wire().flight + l.ack_delay;
  if (l.credit_updates) t = std::min(t, l.update_delay);
  return t;
}

Time Direction::foresee(bool credit, Time t) {
  for (;;) {
    const Time told = credit ? owed_.credits.told_after(t) : owed_.acks.told_after(t);
    if (told != Time::max()) return told;
    // Nothing has been sent yet: place what falls due, if that will bring it.
    if ((credit ? owed_.credits.next_due() : owed_.acks.ack_due()) == Time::max()) return Time::max();
    if (!certain(owed_.next_due())) return Time::max();
  }
}

bool Direction::certain(Time at) {
  const Time known = owed_.credits.known_until(agenda_.now());
  settle(std::min(at, known));
  return owed_.next_due() > at;
}

Time Direction::quiet_until() const {
  const LinkLayerSpec& l = wire().link_layer;
  if (!l.acks && !l.credit_updates) return Time::max();
  const Time arrival = opposite_->next_landing();
  const Time updates = opposite_->owed_.credits.quiet_until(agenda_.now(), arrival);
  return l.acks ? std::min(arrival + l.ack_delay, updates) : updates;
}

bool Direction::make_way_ahead(Time at) {
  if (!answered_) return true;
  LinkLayer& theirs = opposite_->owed_;
  if (theirs.next_due() > at) return true;
  // An ACK covers what is there by then: that has to be known, too.
  if (theirs.acks.ack_due() <= at && theirs.acks.ack_due() >= opposite_->next_landing()) return false;
  counters_.dllps += theirs.settle(at, transmitter_.timeline(), opposite_->transmitter_.errors(), observer_);
  return true;
}

}  // namespace tsunagi::net
