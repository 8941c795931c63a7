// SPDX-License-Identifier: Apache-2.0
#include "net/ceilings.hpp"

#include <algorithm>
#include <limits>

namespace tsunagi::net {

Rate payload_ceiling(const WireSpec& wire, const flow::Packet& p, Bytes payload) {
  if (wire.rate.is_infinite()) return Rate::infinite();
  const std::int64_t total = wire.framing->size(p, payload).total().count();
  return wire.rate.scaled(payload.count(), total);
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

namespace {

/// What the receiver's buffer lets pass: at once, and then at which rate.
struct CreditLoop {
  Rate rate = Rate::infinite();
  Bytes burst;
};

CreditLoop credit_loop(const WireSpec& wire, const RxSpec& rx, const flow::Packet& p, Bytes payload) {
  const std::size_t c = wire.framing->flow_class(p);
  if (c >= rx.buffers.size()) return {};
  const flow::Credits buffer = rx.buffers_for(wire.max_payload)[c];
  const flow::Credits each = wire.framing->cost(p, payload);
  const Time home = 2 * wire.flight + rx.pipeline.latency();
  CreditLoop out;
  if (buffer.headers != flow::Credits::infinite) {
    const Time loop = wire.rate.time(wire.framing->size(p, payload).total()) + home;
    out.burst = payload * (buffer.headers / each.headers);
    out.rate = Rate::bytes_in(out.burst.count(), loop.fs());
  }
  if (buffer.data == flow::Credits::infinite || each.data == 0 || home == Time::zero()) return out;
  // Smaller packets among them fill the space that whole ones leave over.
  const Rate data = Rate::bytes_in(buffer.data * payload.count(), each.data * home.fs());
  if (out.rate.is_infinite() || data.bytes_per_second() < out.rate.bytes_per_second())
    out = {data, Bytes(units_of(payload * buffer.data, Bytes(each.data)))};
  return out;
}

}  // namespace

Rate credit_ceiling(const WireSpec& wire, const RxSpec& rx, const flow::Packet& p, Bytes payload) {
  return credit_loop(wire, rx, p, payload).rate;
}

Bytes credit_burst(const WireSpec& wire, const RxSpec& rx, const flow::Packet& p, Bytes payload) {
  return credit_loop(wire, rx, p, payload).burst;
}

Bytes not_on_wire_yet(const WireSpec& wire, const TxSpec& tx, const flow::Packet& p, Bytes payload) {
  if (!tx.datapath || wire.rate.is_infinite()) return Bytes::zero();
  const Time ahead = tx.pipeline.latency() + wire.rate.time(tx.fifo);
  const Time each = wire.rate.time(wire.framing->size(p, payload).total());
  return payload * ((ahead + each - Time::from_fs(1)) / each + 1);  // and the one that was taken last
}

std::int64_t stop_room(const WireSpec& wire, const TxSpec& tx, const flow::Packet& p, Bytes payload) {
  const Time deaf = wire.told_at({}) + wire.flight + tx.pipeline.latency() + wire.rate.time(tx.fifo);
  const Time each = wire.rate.time(wire.framing->size(p, payload).total());
  const std::int64_t packets = each == Time::zero() ? 1 : (deaf + each - Time::from_fs(1)) / each;
  return wire.framing->cost(p, payload).data * (packets + 1);  // and the one that reaches the mark
}

}  // namespace tsunagi::net
