// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "explain/history.hpp"

namespace tsunagi::test {

/// What came into a device by one port and left it by another has kept PCIe's order (Base Specification 2.4.1): no read
/// and no completion has passed a posted write. Empty, or which packet passed which.
std::string wrong_order(const explain::History& history);

}  // namespace tsunagi::test
