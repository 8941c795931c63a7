// SPDX-License-Identifier: Apache-2.0
// When things happen between the shipped parts' nodes of an SR8000, from the parts' figures alone.
#pragma once

#include <algorithm>

#include "units/time.hpp"

namespace tsunagi::test {

constexpr Time sr_cycle = 4_ns;        // of the processor
constexpr Time sr_adapter = 8_ns;      // of adapter and routers
constexpr Time sr_bus_flight = 4_ns;   // and 4 B a ns
constexpr Time sr_controller = 60_ns;  // through it
constexpr Time sr_cable = 20_ns;
constexpr Time sr_header = 32_ns;        // a ns a byte
constexpr Time sr_small_packet = 64_ns;  // with a flit behind it

inline Time sr_edge(Time t, Time period) {
  return Time::from_fs((t.fs() + period.fs() - 1) / period.fs() * period.fs());
}
inline Time sr_after(Time t, int cycles) { return sr_edge(t, sr_adapter) + sr_adapter * cycles; }
/// `n` bytes over two buses and the storage controller between them, which passes on what it has the first byte of.
inline Time sr_across(Time t, int n) { return t + Time::from_fs(250'000 * n) + sr_bus_flight * 2 + sr_controller; }

/// A core's kick of a TCW at `t` with so many stores, until the core goes on.
inline Time sr_kicked(Time t, int stores) { return t + sr_cycle * (250 + 2 * stores); }

/// A node's adapter, which sends words of 8 B one after the other.
struct SrAdapter {
  Time free;
  /// When the packet of data begins to leave that a core kicks at `t`.
  Time leaves(Time t, int stores) {
    t = std::max(sr_across(sr_kicked(t, stores) + 80_ns, 8), free);
    t = sr_after(t, 10);                                       // fetches the TCW
    t = sr_across(sr_across(t, 0) + 150_ns, 64);               // from memory
    t = sr_after(t, 200);                                      // and decodes it
    t = sr_after(sr_across(sr_across(t, 0) + 150_ns, 8), 10);  // data
    free = t + sr_small_packet;
    return t;
  }
};
/// When the word is in memory that leaves its node at `t` and passes so many routers, `copying` of which copy it.
inline Time sr_there(Time t, int routers, int copying = 0) {
  for (int i = 0; i < routers; ++i) t = sr_after(t + sr_cable, 10 + (i < copying ? 1 : 0));
  return sr_across(sr_after(t + sr_small_packet + sr_cable, 20), 8) + 50_ns;
}

/// When the flag behind 8 B is there that a core sends by a kick at `t`, the receiver three routers away.
inline Time sr_flag_there(Time t) { return sr_there(SrAdapter().leaves(t, 1) + sr_small_packet, 3); }

/// When a loop of 10 cycles since `begin` that polls has seen what is there at `t`, and the call is over.
inline Time sr_polled(Time begin, Time t) {
  return begin + sr_edge(std::max(t - begin, Time::zero()), sr_cycle * 10) + 300_ns + sr_cycle * 20;
}

}  // namespace tsunagi::test
