// SPDX-License-Identifier: Apache-2.0
#include "models/bench/dma_bounds.hpp"

#include <algorithm>

#include "models/pcie/tlp.hpp"

namespace tsunagi::bench {

namespace {

using Kind = comm::DmaOperation::Kind;

Bytes on_link(const DmaWay& w, pcie::TlpType type, Bytes payload) {
  flow::Packet p;
  p.address = w.address;
  p.header<pcie::Tlp>().type = type;
  return w.link->framing->size(p, payload).total();
}

/// `n` bytes in packets of up to `most`.
Bytes in_packets(const DmaWay& w, pcie::TlpType type, Bytes n, Bytes most) {
  const std::int64_t whole = units_of(n, most) - 1;
  return on_link(w, type, most) * whole + on_link(w, type, n - most * whole);
}

}  // namespace

comm::DmaLoad load(const DmaWay& w, Kind kind, Bytes size) {
  const Bytes payload = w.link->max_payload;
  if (kind == Kind::write) return {in_packets(w, pcie::TlpType::memory_write, size, payload), {}};
  return {on_link(w, pcie::TlpType::memory_read, {}) * units_of(size, w.max_read_request),
          in_packets(w, pcie::TlpType::completion_with_data, size, std::min(w.completion_size, payload))};
}

Time least(const DmaWay& w, const EngineConfig& engine, EngineMethod by, Kind kind, Bytes size) {
  const Clock clock(engine.clock);
  const comm::DmaLoad bytes = load(w, kind, size);
  const Time cycles = clock.cycles(engine.start(by)) + clock.cycles(engine.end(by));
  constexpr Time rounded_up = Time::from_fs(4);  // of each part one
  const Time bus = CardBus::takes(engine.bus, clock, size, by == EngineMethod::dma);
  const Time all =
      bus + (kind == Kind::write ? cycles + w.port_latency + w.link->rate.time(bytes.out)
                                 : cycles + 2 * w.port_latency + 2 * w.link->flight + w.link->rate.time(bytes.back) +
                                       w.link->rate.time(on_link(w, pcie::TlpType::memory_read, {})));
  return std::max(all - rounded_up, Time::zero());
}

}  // namespace tsunagi::bench
