// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "comm/collectives/call.hpp"
#include "comm/collectives/participant.hpp"

namespace tsunagi::comm {

/// Up a binomial tree: ceil(log2 p) rounds. A place has those behind it, up to where its subtree ends: place 0 combines
/// ((0 + 1) + (2 + 3)) + ((4 + 5) + ...).
void binomial_reduce(Participant& me, const CollectiveCall& c);
Bytes binomial_reduce_scratch(int ranks, const CollectiveCall& c);

}  // namespace tsunagi::comm
