// SPDX-License-Identifier: Apache-2.0
// Which clocks of a PCI-X bus a transaction takes, and where one ends: pure rules.
#pragma once

#include <algorithm>
#include <cstdint>

#include "flow/segmentation.hpp"
#include "units/bytes.hpp"

namespace tsunagi::pcix {

/// A burst is broken off only at a multiple of this (PCI-X Addendum 1.0a, 1.10.1: allowable disconnect boundary).
constexpr Bytes disconnect_boundary{128};

/// The largest byte count that the attribute phase can say (12 bits, 0 for all: PCI-X Addendum 1.0a, 2.5).
constexpr Bytes most_bytes = 4_KiB;

/// Whether a device can be set to that largest byte count of its memory reads (PCI-X command register, bits 3:2).
constexpr bool is_read_byte_count(Bytes n) { return n == 512_B || n == 1_KiB || n == 2_KiB || n == most_bytes; }

/// Clocks of one transaction on the bus.
struct Clocks {
  std::int64_t before = 0;  // address, attributes, the target's response
  std::int64_t data = 0;
  std::int64_t after = 0;  // turnaround
  std::int64_t total() const { return before + data + after; }
  friend bool operator==(const Clocks& a, const Clocks& b) {
    return a.before == b.before && a.data == b.data && a.after == b.after;
  }
};

/// How a bus and those on it take their time. PCI-X Addendum 1.0a: an address phase (two for addresses above 4 GiB:
/// dual address cycle), one attribute phase, the target's response `decode` clocks later (1, 2, 3: decode speeds A, B,
/// C), a data phase a clock, one turnaround.
struct Timing {
  Bytes width{8};           // of the data bus: 4 or 8 B a clock
  std::int64_t decode = 1;  // clocks from the attribute phase to the target's response
  std::int64_t turnaround = 1;

  std::int64_t before(std::uint64_t address) const {
    constexpr std::uint64_t four_gib = std::uint64_t{1} << 32;
    return (address < four_gib ? 1 : 2) + 1 + decode;
  }
  /// Data phases of `n` bytes from `address` on: the bus moves whole words.
  std::int64_t data(std::uint64_t address, Bytes n) const {
    if (n == Bytes::zero()) return 0;
    const auto in_word = static_cast<std::int64_t>(address % unsigned_of(width));
    return units_of(Bytes(in_word) + n, width);
  }
  /// A burst of `n` bytes: memory write or split completion, which has a lower address only.
  Clocks burst(std::uint64_t address, Bytes n) const { return {before(address), data(address, n), turnaround}; }
  Clocks completion(std::uint64_t address, Bytes n) const { return {before(0), data(address, n), turnaround}; }
  /// A read that is answered by a split response, or what is answered by a retry: nothing but its address moves.
  Clocks request(std::uint64_t address) const { return {before(address), 0, turnaround}; }
};

/// The next transaction of a transfer of which `left` (> 0) is to be moved from `address` on: at most `byte_count`,
/// never across 4 KiB.
inline Bytes next_burst(std::uint64_t address, Bytes left, Bytes byte_count) {
  return flow::next_piece(address, left, byte_count, most_bytes);
}

/// How much of a completion's data can move in a transaction of at most `most` bytes when `there` of the `left` (> 0)
/// are, from `address` on: all that is left, or up to the last disconnect boundary; zero if it does not reach one.
inline Bytes next_completion(std::uint64_t address, Bytes there, Bytes left, Bytes most) {
  const Bytes n = std::min(there, most);
  if (n == left) return n;
  const auto past = static_cast<std::int64_t>((address + unsigned_of(n)) % unsigned_of(disconnect_boundary));
  return std::max(Bytes::zero(), n - Bytes(past));
}

}  // namespace tsunagi::pcix
