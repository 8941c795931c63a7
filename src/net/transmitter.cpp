// SPDX-License-Identifier: Apache-2.0
#include "net/transmitter.hpp"

#include <algorithm>

namespace tsunagi::net {

Transmitter::Transmitter(const WireSpec& wire, const TxSpec& tx)
    : wire_(&wire), tx_(&tx), timeline_(wire.rate, wire.skip) {
  ahead_ = tx.pipeline.latency() + timeline_.duration(tx.fifo);
  timeline_.keep_gaps(wire.link_layer.acks || wire.link_layer.credit_updates);
}

void Transmitter::seed_errors(std::uint64_t seed, const std::string& name) {
  if (wire_->bit_error_rate > 0) errors_ = std::make_unique<BitErrors>(wire_->bit_error_rate, seed, name);
}

Time Transmitter::next_grant(Time from) const {
  // The datapath takes the next packet when it has passed on the last one, and not before what
  // waits behind the pipeline fits its FIFO.
  Time t = std::max({from, granted_, datapath_free_});
  t = std::max(t, timeline_.free() - ahead_);
  return tx_->datapath ? tx_->datapath->clock.at_or_after(t) : t;
}

void Transmitter::weigh(Weight& w) const {
  w.length = timeline_.duration(w.size.total());
  w.beats = tx_->datapath ? units_of(w.size.header + w.size.payload, tx_->datapath->width) : 0;
}

Passage Transmitter::send(const Span& ready, const Weight& weight, Acknowledgements& acks, const LinkTimeline& reverse,
                          const LinkObserver& observer) {
  Passage p{ready, {}, {}, {}, {}, 0};
  granted_ = ready.head;
  if (tx_->datapath) {
    const Clock& clock = tx_->datapath->clock;
    // Beats follow each other without a gap: start so late that the last one is there in time.
    std::int64_t edge = clock.index_at_or_after(std::max(ready.head, datapath_free_));
    edge = std::max(edge, clock.index_at_or_after(ready.tail) - weight.beats);
    p.datapath = {clock.edge(edge), clock.edge(edge + weight.beats)};
    datapath_free_ = p.datapath.tail;
  }
  p.piped = tx_->pipeline.apply(p.datapath.head);
  const Time tail = tx_->pipeline.apply(p.datapath.tail);
  const Bytes size = weight.size.total();
  p.wire = timeline_.place_packet(std::max(p.piped, tail - weight.length), size, tx_->word_clock, observer);
  p.first_try = p.wire.head;
  while (errors_ != nullptr && errors_->hit(size)) {
    // Packets that a real sender pushes out before the NAK reaches it are dropped and sent again in
    // order; leaving them out moves no arrival.
    ++p.replays;
    const Time again = acks.corrupted(p.wire.tail + wire_->flight, reverse.free(), *errors_);
    p.wire = timeline_.place_packet(again, size, tx_->word_clock, observer);
  }
  p.left = tx_->datapath ? p.datapath.tail : p.wire.tail;
  return p;
}

}  // namespace tsunagi::net
