// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "explain/history.hpp"
#include "explain/segment.hpp"

namespace tsunagi::explain {

/// What a packet does on one hop, without a gap, from `ready.head` to `arrived.tail`; or, where what follows began with
/// the first byte (`by_head`), to `arrived.head`: its serialisation then goes on meanwhile and is no part of it.
/// Parts that take no time are left out.
std::vector<Segment> crossing(const History& history, const net::Hop& hop, bool by_head);

}  // namespace tsunagi::explain
