// SPDX-License-Identifier: Apache-2.0
// Events by hand: a core, a switch and a memory in a row.
#pragma once

#include <string>
#include <vector>

#include "explain/path.hpp"
#include "support/catch.hpp"

namespace tsunagi::test {

const std::string core_name = "a.core";
const std::string peer_name = "b.core";

/// Channel 0 "a.core.out > s.in" and channel 1 "s.out > b.mem.in": 1 B a nanosecond, 8b/10b, 5 ns of cable.
inline std::vector<net::ChannelInfo> two_wires() {
  const Rate rate = Rate::bytes_in(1, (1_ns).fs());
  return {{"a.core", "out", "s", "in", rate, 8, 10, 5_ns, {"posted", "non-posted"}},
          {"s", "out", "b.mem", "in", rate, 8, 10, 5_ns, {"posted", "non-posted"}}};
}

/// A stage at a device; `place` must outlive the history.
inline net::StageEvent stage(std::uint64_t item, std::uint64_t parent, net::Stage kind, const char* name,
                             const std::string& place, Time begin, Time end) {
  return {item, parent, kind, name, place, begin, end};
}

/// A packet of 20 B payload, 8 B header and 4 B framing that is ready at `t` and waits for nothing: 10 ns of transmit
/// pipeline, 32 ns on the wire, 5 ns of cable, 3 ns of receive pipeline: 50 ns in all.
inline net::Hop hop(std::uint64_t item, std::uint64_t parent, std::uint32_t channel, Time t) {
  net::Hop h;
  h.item = item;
  h.parent = parent;
  h.channel = channel;
  h.ready = {t, t};
  h.granted = t;
  h.datapath = {t, t};
  h.piped = t + 10_ns;
  h.first_try = h.piped;
  h.wire = {h.piped, h.piped + 32_ns};
  h.landed = h.wire.tail + 5_ns;
  h.arrived = {h.landed + 3_ns, h.landed + 3_ns};
  h.size = {20_B, 8_B, 4_B};
  return h;
}

/// The same, granted only at `granted`; everything after that is later by the wait.
inline net::Hop late_hop(std::uint64_t item, std::uint32_t channel, Time ready, Time granted) {
  net::Hop h = hop(item, 0, channel, granted);
  h.ready = {ready, ready};
  return h;
}

/// No gap, no overlap, not a femtosecond too few.
inline void expect_tiles(const explain::Path& p) {
  Time at = p.begin;
  for (const explain::Segment& s : p.segments) {
    CHECK(s.begin == at);
    CHECK(s.end > s.begin);
    at = s.end;
  }
  CHECK(at == p.end);
}

/// "device: stage" of each segment, in order.
inline std::vector<std::string> names(const explain::Path& p) {
  std::vector<std::string> out;
  for (const explain::Segment& s : p.segments) out.push_back(s.device + ": " + s.what);
  return out;
}

inline std::vector<Time> lengths(const explain::Path& p) {
  std::vector<Time> out;
  for (const explain::Segment& s : p.segments) out.push_back(s.end - s.begin);
  return out;
}

}  // namespace tsunagi::test
