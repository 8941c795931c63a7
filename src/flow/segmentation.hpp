// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "units/bytes.hpp"

namespace tsunagi::flow {

/// Size of the next piece of a transfer that starts at `address` and has `left` bytes:
/// at most `largest`, and never across a multiple of `boundary` (both > 0).
inline Bytes next_piece(std::uint64_t address, Bytes left, Bytes largest, Bytes boundary) {
  const std::int64_t to_boundary =
      boundary.count() - static_cast<std::int64_t>(address % static_cast<std::uint64_t>(boundary.count()));
  return Bytes(std::min({left.count(), largest.count(), to_boundary}));
}

/// Pieces of one size, one behind the other.
struct Pieces {
  Bytes each;
  std::int64_t count = 1;
  Bytes total() const { return each * count; }
};

/// The next pieces of such a transfer (`left` > 0) that are alike, up to `most` (>= 1) of them.
inline Pieces next_pieces(std::uint64_t address, Bytes left, Bytes largest, Bytes boundary, std::int64_t most) {
  const Bytes piece = next_piece(address, left, largest, boundary);
  if (piece < largest || most == 1) return {piece, 1};
  // Where they end at every boundary by themselves, it cuts none of them.
  const bool whole = boundary.count() % largest.count() == 0 && address % unsigned_of(largest) == 0;
  const Bytes together = whole ? left : next_piece(address, left, boundary, boundary);
  return {piece, std::min(most, together / piece)};
}

}  // namespace tsunagi::flow
