// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "comm/collectives/call.hpp"
#include "comm/collectives/participant.hpp"

namespace tsunagi::comm {

// Places are ranks as counted from the root: place 0 is the root. Ranks combine in an order that depends on nothing but
// algorithm, number of ranks and root. `linear` keeps the order of the ranks, so that operations that do not commute
// come out as MPI says (4.0, 6.9.1); the others keep the order of places, which is that of the ranks for root 0.

/// Up a binomial tree: ceil(log2 p) rounds. A place has those behind it, up to where its subtree ends: place 0 combines
/// ((0 + 1) + (2 + 3)) + ((4 + 5) + ...).
void binomial_reduce(Participant& me, const CollectiveCall& c);
Bytes binomial_reduce_scratch(int ranks, const CollectiveCall& c);
/// From the last place to the first, segment by segment: p - 2 + m rounds of m segments (Open MPI's pipeline).
/// 0 + (1 + (2 + ...)).
void chain_reduce(Participant& me, const CollectiveCall& c);
Bytes chain_reduce_scratch(int ranks, const CollectiveCall& c);
/// A reduce-scatter by recursive halving, then a binomial gather: 2 log2 p rounds, twice the bytes; other numbers of
/// ranks than 2^n fold one time before. Pairs combine as in the binomial tree; where p is no 2^n, neighbours among the
/// first 2 (p - 2^n) places before.
void rabenseifner_reduce(Participant& me, const CollectiveCall& c);
Bytes rabenseifner_reduce_scratch(int ranks, const CollectiveCall& c);
/// Each sends to the root, which combines from the last rank to the first, whoever is the root: 0 + (1 + (2 + ...)) of
/// ranks (Open MPI's basic linear).
void linear_reduce(Participant& me, const CollectiveCall& c);
Bytes linear_reduce_scratch(int ranks, const CollectiveCall& c);

}  // namespace tsunagi::comm
