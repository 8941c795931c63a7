// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "comm/collectives/call.hpp"
#include "comm/collectives/participant.hpp"

namespace tsunagi::comm {

/// p - 1 rounds, in each of which each rank exchanges with one: for 2^n ranks in round i with rank xor i, else it sends
/// to rank + i and receives from rank - i (Thakur, Rabenseifner, Gropp 2005).
void pairwise_all_to_all(Participant& me, const CollectiveCall& c);
/// In round k each rank sends all blocks that have to go a way with 2^k in it, packed, 2^k further: ceil(log2 p) rounds
/// (Bruck et al. 1997).
void bruck_all_to_all(Participant& me, const CollectiveCall& c);
Bytes bruck_all_to_all_scratch(int ranks, const CollectiveCall& c);
/// All receives, then all sends at once, in the order of the ranks, nobody thinking of who else sends there.
void linear_all_to_all(Participant& me, const CollectiveCall& c);
/// Messages to up to 32 ranks at once, then to the next ones: a rank receives from itself, the rank behind it and so
/// on, and sends to itself, the rank before it and so on, so that nobody is sent to by two at once (MVAPICH2's
/// scattered destinations, MPIR_ALLTOALL_THROTTLE).
void scattered_all_to_all(Participant& me, const CollectiveCall& c);

}  // namespace tsunagi::comm
