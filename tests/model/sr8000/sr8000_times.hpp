// SPDX-License-Identifier: Apache-2.0
// When things happen in an Sr8000Network that nothing is in the way of, from its parts' figures alone. A packet is on a
// wire for `length`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "model/sr8000/sr8000_bench.hpp"

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

/// A node's coordinates in a network of those sizes.
inline std::vector<std::int64_t> sr_place(const std::vector<std::int64_t>& sizes, std::int64_t node) {
  std::vector<std::int64_t> out;
  for (const std::int64_t k : sizes) {
    out.push_back(node % k);
    node /= k;
  }
  return out;
}
inline std::int64_t sr_node(const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& place) {
  std::int64_t n = 0;
  for (std::size_t d = sizes.size(); d-- > 0;) n = n * sizes[d] + place[d];
  return n;
}
inline bool sr_within(const std::vector<std::int64_t>& sizes, const sr8000::Box& b, int node) {
  const auto first = sr_place(sizes, b.first), last = sr_place(sizes, b.last), at = sr_place(sizes, node);
  for (std::size_t d = 0; d < sizes.size(); ++d)
    if (at[d] < first[d] || at[d] > last[d]) return false;
  return true;
}

/// The highest dimension below `in` in which places differ; -1: none does.
inline int sr_apart(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b, int in) {
  int d = in - 1;
  while (d >= 0 && a[static_cast<std::size_t>(d)] == b[static_cast<std::size_t>(d)]) --d;
  return d;
}

/// By how many wires a broadcast leaves a relay that came from its crossbar of dimension `in`: those by which the nodes
/// of the box have to be reached that are like it from that dimension on.
inline std::size_t sr_ways(const std::vector<std::int64_t>& sizes, const sr8000::Box& box,
                           const std::vector<std::int64_t>& relay, int in) {
  std::set<int> ways;
  for (int n = static_cast<int>(box.first); n <= static_cast<int>(box.last); ++n) {
    const auto at = sr_place(sizes, n);
    if (sr_within(sizes, box, n) && std::equal(at.begin() + in, at.end(), relay.begin() + in))
      ways.insert(sr_apart(relay, at, in));
  }
  return ways.size();
}

/// First byte at `node` of a broadcast to a box that `root` sends at 0, when `serialising` is a node at the serialising
/// crossbar: relay and crossbar for each dimension in which the root differs from it, but for the last one, relay; the
/// serialising crossbar copies; then a relay, which copies if there is more than one way from it, and a crossbar that
/// does for each dimension in which the node still differs. With one dimension the crossbar alone.
inline Time sr_broadcast(const std::vector<std::int64_t>& sizes, const sr8000::Box& box, int root, int node,
                         int serialising, Time length) {
  const auto crossed = std::count_if(sizes.begin(), sizes.end(), [](std::int64_t k) { return k > 1; });
  if (crossed == 1) return sr_copied(Time::zero()) + sr_flight;
  auto last = static_cast<int>(sizes.size()) - 1;
  while (sizes[static_cast<std::size_t>(last)] == 1) --last;
  auto relay = sr_place(sizes, serialising);
  const auto from = sr_place(sizes, root), to = sr_place(sizes, node);
  int wrong = 0;
  for (int d = 0; d < last; ++d)
    wrong += from[static_cast<std::size_t>(d)] != relay[static_cast<std::size_t>(d)] ? 1 : 0;
  Time t = sr_copied(sr_through(Time::zero(), length, 2 * wrong + 1));
  relay[static_cast<std::size_t>(last)] = to[static_cast<std::size_t>(last)];
  for (int in = last;;) {
    t = sr_ways(sizes, box, relay, in) > 1 ? sr_copied(t) : sr_through(t, length);
    const int d = sr_apart(relay, to, in);
    if (d < 0) return t + sr_flight;
    relay[static_cast<std::size_t>(d)] = to[static_cast<std::size_t>(d)];
    t = sr_copied(t);
    in = d;
  }
}

/// First byte of the release when the last node comes at `t`: a relay and a counting crossbar for each dimension, and
/// a relay.
inline Time sr_barrier(Time t, int dimensions) {
  if (dimensions == 1) return sr_counted(t) + sr_flight;
  for (int d = 0; d < dimensions; ++d) t = sr_counted(sr_through(t, sr_header));
  return sr_through(t, sr_header) + sr_flight;
}

}  // namespace tsunagi::test
