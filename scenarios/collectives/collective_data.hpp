// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "comm/collectives/catalog.hpp"
#include "comm/world/ledger.hpp"

namespace tsunagi::scenarios {

/// What rank `rank` writes to its buffers before a collective call: bytes of its own where it sends from,
/// others where it is going to receive.
void fill(comm::Ledger& l, int rank, const comm::CollectiveCall& c);

/// Throws std::runtime_error, which names the rank and the bytes, unless behind the call it has what it must have.
void expect_done(const comm::Ledger& l, int rank, int ranks, const comm::CollectiveCall& c);

}  // namespace tsunagi::scenarios
