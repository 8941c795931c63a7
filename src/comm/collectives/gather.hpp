// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "comm/collectives/call.hpp"
#include "comm/collectives/participant.hpp"

namespace tsunagi::comm {

/// Up a binomial tree: ceil(log2 p) rounds, each doubles what is sent (Thakur, Rabenseifner, Gropp 2005). Needs the
/// same memory beside the buffers as a binomial scatter.
void binomial_gather(Participant& me, const CollectiveCall& c);
/// Each rank sends to the root, which has posted all receives in the order of their ranks.
void linear_gather(Participant& me, const CollectiveCall& c);

}  // namespace tsunagi::comm
