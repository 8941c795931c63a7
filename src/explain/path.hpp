// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "explain/history.hpp"
#include "explain/segment.hpp"

namespace tsunagi::explain {

/// What the time from `begin` to `end` was spent on: segments that tile it exactly, in order.
struct Path {
  Time begin;
  Time end;
  std::vector<Segment> segments;
};

/// Walks back from what `last_item` was at by `to`, from effect to cause, until `from`: through the item's own stages
/// and hops, then on with the packet or step that its first stage names. Where no event explains the time, a segment of
/// kind `unexplained` bridges it.
Path walk(const History& history, std::uint64_t last_item, Time from, Time to);

/// The same from the moment at which `last` first put its packet on the wire (`wire.head`).
Path walk(const History& history, const net::Hop& last, Time from);

}  // namespace tsunagi::explain
