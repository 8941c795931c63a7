// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tsunagi::flow {

// Which of some bytes say something is told by a byte each, 0xff or 0, or by a bit each. Here eight are done at once.

/// Writes `from`, which is 0 where `said` is, over `to` as far as it says something.
inline void merge_said(std::uint8_t* to, const std::uint8_t* from, const std::uint8_t* said, std::size_t n) {
  for (; n >= 8; n -= 8, to += 8, from += 8, said += 8) {
    std::uint64_t old, more, mask;
    std::memcpy(&old, to, 8);
    std::memcpy(&more, from, 8);
    std::memcpy(&mask, said, 8);
    old = (old & ~mask) | more;
    std::memcpy(to, &old, 8);
  }
  for (; n > 0; --n, ++to, ++from, ++said) *to = static_cast<std::uint8_t>((*to & ~*said) | *from);
}

/// What says something in `more` does so in `said`, too.
inline void join_said(std::uint8_t* said, const std::uint8_t* more, std::size_t n) { merge_said(said, more, more, n); }

/// The number that eight bytes say, the first one its lowest byte: compilers make one access of it where they know how.
inline std::uint64_t eight_at(const std::uint8_t* p) {
  const auto byte = [p](int i) { return std::uint64_t{p[i]} << 8 * i; };
  return byte(0) | byte(1) | byte(2) | byte(3) | byte(4) | byte(5) | byte(6) | byte(7);
}
inline void put_eight(std::uint8_t* p, std::uint64_t value) {
  const auto byte = [value](int i) { return static_cast<std::uint8_t>(value >> 8 * i); };
  p[0] = byte(0), p[1] = byte(1), p[2] = byte(2), p[3] = byte(3);
  p[4] = byte(4), p[5] = byte(5), p[6] = byte(6), p[7] = byte(7);
}

/// A bit for each of `n` (at most 64) bytes, the first one's is the lowest.
inline std::uint64_t bits_of_said(const std::uint8_t* said, std::size_t n) {
  std::uint64_t out = 0;
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    // Bit 8k of what is left goes to bit 56 + k, and to no other's place.
    out |= ((eight_at(said + i) & 0x0101010101010101) * 0x0102040810204080) >> 56 << i;
  }
  for (; i < n; ++i) out |= std::uint64_t{said[i] != 0} << i;
  return out;
}

/// The other way round, for 64 bytes.
inline void said_of_bits(std::uint64_t bits, std::uint8_t* said) {
  for (int i = 0; i < 64; i += 8) {
    // A copy of the eight bits in each byte, of which byte k keeps bit k.
    const std::uint64_t one_each = (bits >> i & 0xff) * 0x0101010101010101 & 0x8040201008040201;
    const std::uint64_t top = (one_each + 0x7f7f7f7f7f7f7f7f) & 0x8080808080808080;
    put_eight(said + i, (top >> 7) * 0xff);
  }
}

}  // namespace tsunagi::flow
