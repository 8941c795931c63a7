// SPDX-License-Identifier: Apache-2.0
// What the SimGrid drivers share.
#pragma once

#include <cstdint>
#include <simgrid/s4u.hpp>
#include <string>

#include "common.hpp"

namespace compare {

namespace sg = simgrid::s4u;

/// Sizes, not data: what a message carries.
inline void* nothing() {
  static int token = 0;
  return &token;
}

}  // namespace compare
