// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "comm/collectives/call.hpp"
#include "comm/collectives/participant.hpp"

namespace tsunagi::comm {

/// A binomial tree: ceil(log2 p) rounds, a rank sends to its largest subtree first (MPICH; Thakur, Rabenseifner, Gropp
/// 2005).
void binomial_broadcast(Participant& me, const CollectiveCall& c);
/// The same tree, a rank sends to its smallest subtree first.
void binomial_smallest_first_broadcast(Participant& me, const CollectiveCall& c);
/// A complete binary tree in level order (the children of place i are 2i + 1 and 2i + 2), segment by segment: while a
/// segment goes to the children the next one comes in. About log2 p + 2 m rounds of m segments (Open MPI's bintree;
/// Pjesivac-Grbovic et al. 2007).
void binary_tree_broadcast(Participant& me, const CollectiveCall& c);
/// A k-nomial tree: in each of ceil(log_k p) rounds whoever has the data sends to up to k - 1 more, the largest
/// subtrees first; segment by segment (MVAPICH2's k-nomial broadcasts, whole, pipelined or zero-copy, are that).
void knomial_broadcast(Participant& me, const CollectiveCall& c);
/// Each rank hands on to the next, segment by segment: p - 2 + m rounds of m segments (Open MPI's pipeline).
void chain_broadcast(Participant& me, const CollectiveCall& c);
/// Pieces by a binomial scatter, then an allgather of them: recursive doubling for 2^n ranks and less than 512 KiB,
/// else a ring (van de Geijn: Barnett et al. 1994; the border is MPICH's). ceil(log2 p) + log2 p or p - 1 rounds, twice
/// the bytes.
void scatter_allgather_broadcast(Participant& me, const CollectiveCall& c);
/// The same with a ring whatever the size.
void scatter_ring_broadcast(Participant& me, const CollectiveCall& c);
/// The root sends to all, in the order of their ranks.
void linear_broadcast(Participant& me, const CollectiveCall& c);

}  // namespace tsunagi::comm
