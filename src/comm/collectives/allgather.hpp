// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "comm/collectives/blocks.hpp"
#include "comm/collectives/tree.hpp"

namespace tsunagi::comm {

/// Round a ring: place i has block i of `all`, and gets the others.
void exchange_round_a_ring(Participant& me, const Buffer& all, const Blocks& blocks, const Places& places);
/// The same by recursive doubling, of 2^n ranks.
void exchange_by_doubling(Participant& me, const Buffer& all, const Blocks& blocks, const Places& places);

}  // namespace tsunagi::comm
