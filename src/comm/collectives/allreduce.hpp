// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "comm/collectives/call.hpp"
#include "comm/collectives/participant.hpp"

namespace tsunagi::comm {

// All ranks get the same expression. All but the ring combine in the order of the ranks: safe for operations that do
// not commute.

/// Pairs at distances 1, 2, 4, ... exchange and combine all they have: log2 p rounds; other numbers of ranks than 2^n
/// fold one time before and unfold behind. ((0 + 1) + (2 + 3)) + ...
void doubling_allreduce(Participant& me, const CollectiveCall& c);
Bytes doubling_allreduce_scratch(int ranks, const CollectiveCall& c);
/// A block a rank goes round a ring and is combined at each, then round again: 2 (p - 1) rounds, the bytes of 2 (p - 1)
/// / p buffers (Patarasuk, Yuan 2009). Block b begins with rank b: ((b + (b + 1)) + (b + 2)) + ... round to b - 1.
void ring_allreduce(Participant& me, const CollectiveCall& c);
Bytes ring_allreduce_scratch(int ranks, const CollectiveCall& c);
/// A reduce-scatter by recursive halving, then an allgather by the same rounds backwards: 2 log2 p rounds, the bytes of
/// twice the buffer (Rabenseifner 2004); folds as recursive doubling, whose order it has.
void rabenseifner_allreduce(Participant& me, const CollectiveCall& c);
Bytes rabenseifner_allreduce_scratch(int ranks, const CollectiveCall& c);
/// A binomial reduce to rank 0, then a binomial broadcast.
void reduce_broadcast_allreduce(Participant& me, const CollectiveCall& c);

}  // namespace tsunagi::comm
