// SPDX-License-Identifier: Apache-2.0
#include "net/ceilings.hpp"

#include <algorithm>
#include <limits>

namespace tsunagi::net {

Rate payload_ceiling(const WireSpec& wire, const flow::Packet& p, Bytes payload) {
  if (wire.rate.is_infinite()) return Rate::infinite();
  const std::int64_t total = wire.framing->size(p, payload).total().count();
  return Rate::bytes_in(payload.count() * wire.rate.den(), total * wire.rate.num());
}

Rate word_ceiling(const WireSpec& wire, const TxSpec& tx, const flow::Packet& p, Bytes payload) {
  if (!tx.word_clock) return Rate::infinite();
  const Time t = tx.word_clock->at_or_after(wire.rate.time(wire.framing->size(p, payload).total()));
  return Rate::bytes_in(payload.count(), t.fs());
}

Rate datapath_ceiling(const WireSpec& wire, const TxSpec& tx, const flow::Packet& p, Bytes payload) {
  if (!tx.datapath) return Rate::infinite();
  const flow::WireSize size = wire.framing->size(p, payload);
  return Rate::bytes_in(payload.count(),
                        tx.datapath->clock.cycles(units_of(size.header + size.payload, tx.datapath->width)).fs());
}

Rate credit_ceiling(const WireSpec& wire, const RxSpec& rx, const flow::Packet& p, Bytes payload) {
  const std::size_t c = wire.framing->flow_class(p);
  if (c >= rx.buffers.size()) return Rate::infinite();
  const flow::Credits buffer = rx.buffers[c];
  const flow::Credits each = wire.framing->cost(p, payload);
  std::int64_t packets = std::numeric_limits<std::int64_t>::max();
  if (buffer.headers != flow::Credits::infinite) packets = std::min(packets, buffer.headers / each.headers);
  if (buffer.data != flow::Credits::infinite && each.data > 0) packets = std::min(packets, buffer.data / each.data);
  if (packets == std::numeric_limits<std::int64_t>::max()) return Rate::infinite();
  const Time loop = wire.rate.time(wire.framing->size(p, payload).total()) + 2 * wire.flight + rx.pipeline.latency();
  return Rate::bytes_in(packets * payload.count(), loop.fs());
}

}  // namespace tsunagi::net
