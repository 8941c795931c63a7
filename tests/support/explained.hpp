// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "explain/history.hpp"

namespace tsunagi::test {

/// Every femtosecond between a packet's first and last hop belongs to exactly one named stage: empty, or where that is
/// not so. Of many packets a thousand are looked at, evenly.
std::string unexplained(const explain::History& history);

}  // namespace tsunagi::test
