// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "units/bytes.hpp"

namespace tsunagi::flow {

/// Size of the next piece of a transfer that starts at `address` and has `left` bytes:
/// at most `largest`, and never across a multiple of `boundary` (both > 0).
/// PCIe Base Specification 2.2.7: requests split at MPS or MRRS and at 4 KiB.
inline Bytes next_piece(std::uint64_t address, Bytes left, Bytes largest, Bytes boundary) {
  const std::int64_t to_boundary =
      boundary.count() - static_cast<std::int64_t>(address % static_cast<std::uint64_t>(boundary.count()));
  return Bytes(std::min({left.count(), largest.count(), to_boundary}));
}

}  // namespace tsunagi::flow
