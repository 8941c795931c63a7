// SPDX-License-Identifier: Apache-2.0
#include "net/sending/transmitter.hpp"

#include <algorithm>

namespace tsunagi::net {

Transmitter::Transmitter(const WireSpec& wire, const TxSpec& tx) : tx_(&tx), timeline_(wire) {
  gap_ = timeline_.duration(wire.gap);
  ahead_ = tx.pipeline.latency() + timeline_.duration(tx.fifo);
  const bool same = tx.datapath && period() > Time::zero() && tx.pipeline.clock &&
                    tx.pipeline.clock->frequency() == tx.datapath->clock.frequency();
  piped_ = same ? tx.pipeline.latency() : Time::from_fs(-1);
  timeline_.keep_gaps(wire.link_layer.acks || wire.link_layer.credit_updates);
}

void Transmitter::seed_errors(std::uint64_t seed, const std::string& name) {
  const double rate = timeline_.wire().bit_error_rate;
  if (rate > 0) errors_ = std::make_unique<BitErrors>(rate, seed, name);
}

Time Transmitter::next_grant(Time from) const {
  // The datapath takes the next packet when it has passed on the last one, and not before what
  // waits behind the pipeline fits its FIFO.
  const Time t = std::max(from, timeline_.free() - ahead_);
  if (t <= not_before_) return not_before_;  // an edge, if there are any
  return tx_->datapath ? tx_->datapath->clock.at_or_after(t) : t;
}

void Transmitter::weigh(Weight& w) const {
  w.length = timeline_.duration(w.size.total());
  if (!tx_->datapath) return;
  w.beats = units_of(w.size.header + w.size.payload, tx_->datapath->width);
  w.crossing = period() * w.beats;
}

Span Transmitter::cross(Time at, Time ready, const Weight& weight) const {
  const Clock& clock = tx_->datapath->clock;
  if (period() == Time::zero()) {
    const std::int64_t edge = std::max(clock.index_at_or_after(at), clock.index_at_or_after(ready) - weight.beats);
    return {clock.edge(edge), clock.edge(edge + weight.beats)};
  }
  if (ready > at + weight.crossing) at = clock.at_or_after(ready) - weight.crossing;
  return {at, at + weight.crossing};
}

Passage Transmitter::send(Time at, Time ready, const Weight& weight, Acknowledgements& acks,
                          const LinkTimeline& reverse, const LinkObserver& observer) {
  Passage p{{at, ready}, {}, {}, {}, {}, {}, 0};
  if (tx_->datapath) {
    p.datapath = cross(at, ready, weight);
    not_before_ = p.datapath.tail;
  } else {
    not_before_ = at;
  }
  p.piped = same_clock() ? p.datapath.head + piped_ : tx_->pipeline.apply(p.datapath.head);
  const Time tail = same_clock() ? p.datapath.tail + piped_ : tx_->pipeline.apply(p.datapath.tail);
  const Bytes size = weight.size.total();
  const FlitStream* const flits = timeline_.flits();
  const Time length = flits == nullptr ? weight.length : flits->least(size);
  p.wire = timeline_.place_packet(std::max(p.piped, tail - length), size, tx_->word_clock, observer);
  p.first_try = p.wire.head;
  if (flits != nullptr) {
    if (errors_ != nullptr) replay_flits(p, acks, *reverse.flits(), observer);
    p.left = tx_->datapath ? p.datapath.tail : p.wire.tail;
    p.complete = flits->end();
    return p;
  }
  while (errors_ != nullptr && errors_->hit(size)) {
    // Packets that a real sender pushes out before the NAK reaches it are dropped and sent again in
    // order; leaving them out moves no arrival.
    ++p.replays;
    const Time again = acks.corrupted(p.wire.tail + timeline_.wire().flight, reverse.free(), *errors_);
    p.wire = timeline_.place_packet(again, size, tx_->word_clock, observer);
  }
  p.wire.tail -= gap_;
  p.left = tx_->datapath ? p.datapath.tail : p.wire.tail;
  p.complete = p.wire.tail;
  return p;
}

void Transmitter::replay_flits(Passage& p, Acknowledgements& acks, const FlitStream& reverse,
                               const LinkObserver& observer) {
  FlitStream& flits = *timeline_.flits();
  while (const auto bad = flits.first_corrupted(*errors_)) {
    ++p.replays;
    const Time again = acks.corrupted_flit(bad->end + timeline_.wire().flight, reverse, *errors_);
    p.wire = timeline_.place_packet(again, bad->lost, tx_->word_clock, observer);
  }
}

}  // namespace tsunagi::net
