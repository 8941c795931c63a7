// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "comm/collectives/call.hpp"
#include "comm/collectives/participant.hpp"

namespace tsunagi::comm {

/// In round k each rank tells the one 2^k behind it, and hears of the one 2^k before it: ceil(log2 p) rounds
/// (Hensgen, Finkel, Manber 1988).
void dissemination_barrier(Participant& me, const CollectiveCall& c);
/// Up a binomial tree, then down it, the largest subtree first: 2 ceil(log2 p) rounds (Mellor-Crummey, Scott 1991: tree
/// barriers).
void tree_barrier(Participant& me, const CollectiveCall& c);

}  // namespace tsunagi::comm
