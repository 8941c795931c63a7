// SPDX-License-Identifier: Apache-2.0
// When things happen in an Sr8000Network that nothing is in the way of, from its parts' figures alone. A packet is on a
// wire for `length`.
#pragma once

#include <algorithm>

#include "model/sr8000_bench.hpp"

namespace tsunagi::test {

constexpr Time sr_cycle = 10_ns;
constexpr Time sr_latency = 10 * sr_cycle;
constexpr Time sr_flight = 7_ns;
constexpr Time sr_header = 32_ns;  // on a wire; a barrier's packet has nothing else

/// On a wire: a header flit and the data's.
inline Time sr_wire(Bytes n) { return sr_header * (1 + units_of(n, 32_B)); }

inline Time sr_edge(Time t) { return sr_cycle * ((t.fs() + sr_cycle.fs() - 1) / sr_cycle.fs()); }

/// When the first byte of what is on the wire to a relay or crossbar from `t` on is on the next wire, of the same rate:
/// the last byte passes on an edge, too, and must not be late.
inline Time sr_through(Time t, Time length) {
  return sr_latency + std::max(sr_edge(t + sr_flight), sr_edge(t + length + sr_flight) - length);
}
/// The same of a crossbar that copies it: granted an edge after its first byte could pass, and not run dry then.
inline Time sr_copied(Time t) { return sr_latency + sr_edge(t + sr_flight) + sr_cycle; }
/// The same of a crossbar that counts a barrier's packet when it has all of it.
inline Time sr_counted(Time t) { return sr_latency + sr_edge(t + sr_header + sr_flight); }

inline Time sr_through(Time t, Time length, int relays_and_crossbars) {
  for (int i = 0; i < relays_and_crossbars; ++i) t = sr_through(t, length);
  return t;
}

/// First byte at a node of what passes so many relays and crossbars.
inline Time sr_unicast(Time length, int relays_and_crossbars) {
  return sr_through(Time::zero(), length, relays_and_crossbars) + sr_flight;
}

/// First byte of a broadcast sent at `t`, in a network of so many dimensions, by a node that differs from those of the
/// serialising crossbar in `wrong` of the others: relay and crossbar for each, relay; then a copying crossbar and a
/// relay for each dimension; with one dimension the crossbar alone.
inline Time sr_broadcast(Time t, Time length, int dimensions, int wrong) {
  if (dimensions == 1) return sr_copied(t) + sr_flight;
  t = sr_through(t, length, 2 * wrong + 1);
  for (int d = 0; d < dimensions; ++d) t = sr_through(sr_copied(t), length);
  return t + sr_flight;
}

/// First byte of the release when the last node comes at `t`: a relay and a counting crossbar for each dimension, and
/// a relay.
inline Time sr_barrier(Time t, int dimensions) {
  if (dimensions == 1) return sr_counted(t) + sr_flight;
  for (int d = 0; d < dimensions; ++d) t = sr_counted(sr_through(t, sr_header));
  return sr_through(t, sr_header) + sr_flight;
}

}  // namespace tsunagi::test
