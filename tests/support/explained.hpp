// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "explain/history.hpp"

namespace tsunagi::test {

/// Every femtosecond between a packet's first and last hop belongs to exactly one named stage. Of many packets a
/// thousand are looked at, evenly.
void expect_explained(const explain::History& history);

}  // namespace tsunagi::test
