// SPDX-License-Identifier: Apache-2.0
// What a card with firmware takes on the bench, by hand: a quiet Gen2 x8 slot, a host of round numbers.
#pragma once

#include "model/infiniband/hca_bench.hpp"

namespace tsunagi::test::firmware_times {

constexpr int dma_cycles = 70;
inline const Clock card_clock(Frequency(250'000'000));
constexpr Time port_latency = 48_ns;
constexpr Time to_bus = 80_ns, posted = 100_ns, reading = 200_ns, completing = 190_ns, reading_memory = 60_ns;

/// That card and host; what firmware does beside starting transfers takes what it takes by default.
inline HcaParts firmware_parts(Bytes inline_limit) {
  HcaParts p;
  p.hca.clock = card_clock.frequency();
  p.firmware.emplace();
  p.firmware->dma_cycles = dma_cycles;
  p.firmware->bus.latency = port_latency;
  p.firmware->bus.max_read = 4_KiB;
  p.core.store_to_bus = to_bus;
  p.rc.posted_latency = posted;
  p.rc.read_latency = reading;
  p.rc.completion_latency = completing;
  p.memory.read_latency = reading_memory;
  p.verbs.inline_limit = inline_limit;
  return p;
}

inline Time on_wire(Bytes n) { return 250_ps * n.count(); }  // Gen2 x8 and QDR 4x alike
/// What data weigh on both wires.
inline Bytes dwords(Bytes n) { return 4_B * units_of(n, 4_B); }
/// Work of a processor that is idle, from `t` on.
inline Time run(Time t, int cycles) { return card_clock.after(t, cycles); }
/// A read of the card that a processor starts at `t`: its TLP leaves on an edge, one completion of `n` comes back.
inline Time read(Time t, Bytes n) {
  t = card_clock.at_or_after(run(t, dma_cycles) + port_latency);
  return t + on_wire(24_B) + hca_flight + reading + hca_flight + reading_memory + hca_flight + completing +
         on_wire(dwords(n) + 20_B) + hca_flight + port_latency;
}
/// A write of `n` bytes that a processor starts at `t`, until memory has it.
inline Time write(Time t, Bytes n) {
  t = card_clock.at_or_after(run(t, dma_cycles) + port_latency);
  return t + on_wire(dwords(n) + 24_B) + hca_flight + posted + hca_flight;
}

}  // namespace tsunagi::test::firmware_times
