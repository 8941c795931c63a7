// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "units/time.hpp"

namespace tsunagi::flow {

/// What let something begin: a packet (0: nothing), at a time on its way.
struct Cause {
  Time when;
  std::uint64_t packet = 0;
};

}  // namespace tsunagi::flow
