// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "comm/collectives/catalog.hpp"

namespace tsunagi::comm {

/// Round a ring: p - 1 rounds, in each of which every rank hands the block it got last to the next rank.
void ring_allgather(Participant& me, const CollectiveCall& c);

}  // namespace tsunagi::comm
