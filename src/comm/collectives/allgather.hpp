// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "comm/collectives/blocks.hpp"
#include "comm/collectives/tree.hpp"

namespace tsunagi::comm {

/// Round a ring: p - 1 rounds, in each of which every rank hands the block it got last to the next rank.
void ring_allgather(Participant& me, const CollectiveCall& c);
/// 2^n ranks: in round k ranks 2^k apart exchange the 2^k blocks that each has: log2 p rounds.
void doubling_allgather(Participant& me, const CollectiveCall& c);
/// In round k each rank gets up to 2^k blocks of the one 2^k behind it: ceil(log2 p) rounds, then each rank rotates
/// what it has (Bruck et al. 1997).
void bruck_allgather(Participant& me, const CollectiveCall& c);
Bytes bruck_allgather_scratch(int ranks, const CollectiveCall& c);

/// Round a ring: place i has block i of `all`, and gets the others.
void exchange_round_a_ring(Participant& me, const Buffer& all, const Blocks& blocks, const Places& places);
/// The same by recursive doubling, of 2^n ranks.
void exchange_by_doubling(Participant& me, const Buffer& all, const Blocks& blocks, const Places& places);

}  // namespace tsunagi::comm
