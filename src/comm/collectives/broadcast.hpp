// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "comm/collectives/call.hpp"
#include "comm/collectives/participant.hpp"

namespace tsunagi::comm {

/// A binomial tree: ceil(log2 p) rounds, a rank sends to its largest subtree first (MPICH; Thakur, Rabenseifner, Gropp
/// 2005).
void binomial_broadcast(Participant& me, const CollectiveCall& c);

}  // namespace tsunagi::comm
