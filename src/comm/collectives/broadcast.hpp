// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "comm/collectives/catalog.hpp"

namespace tsunagi::comm {

/// A binomial tree: ceil(log2 p) rounds, a rank sends to its largest subtree first.
void binomial_broadcast(Participant& me, const CollectiveCall& c);

}  // namespace tsunagi::comm
