// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "units/bytes.hpp"

namespace tsunagi::peach2 {

/// Where the bytes of one side of a transfer lie: one after the other, or in bursts with gaps between them.
struct Layout {
  std::uint64_t base = 0;
  Bytes burst;  // 0: no gaps
  Bytes gap;

  /// Address of byte `offset` of the transfer.
  std::uint64_t address_of(Bytes offset) const;
  /// Of `left` bytes from `offset` on, those that lie together before the next gap.
  Bytes run(Bytes offset, Bytes left) const;
};

/// One DMA request (paper 000, 3.5.2): what to read, where to write it, and for block-stride transfers the length of a
/// burst and of the gap behind it, which hold for each side that is strided.
struct Descriptor {
  static constexpr Bytes size{32};

  std::uint64_t source = 0;       // host-local, or of the own chip's packet memory; below 2^48
  std::uint64_t destination = 0;  // in the shared window; below 2^48
  Bytes length;                   // data bytes, gaps not counted; 1 .. 2^32 - 1
  Bytes burst;                    // a multiple of 4 B, at most 262,140 B
  Bytes gap;                      // a multiple of 4 B, at most 2^32 - 4
  bool source_strided = false;
  bool destination_strided = false;

  Layout from() const { return source_strided ? Layout{source, burst, gap} : Layout{source, {}, {}}; }
  Layout to() const { return destination_strided ? Layout{destination, burst, gap} : Layout{destination, {}, {}}; }
};

/// Throws std::invalid_argument for what no engine could run: no bytes, addresses or lengths out of range, a gap or a
/// strided side without a burst, a burst without a strided side, bursts and gaps that are no whole words of 4 B, a
/// length that is no whole number of bursts.
void check(const Descriptor& d);

/// A descriptor in memory, with the address of the next (0: last).
struct Chained {
  Descriptor what;
  std::uint64_t next = 0;
};

/// The four 64-bit words of a descriptor in memory. The paper gives its size and what it holds; the layout is ours:
///  0  source in bits 0-47, burst length in units of 4 B in bits 48-63
///  1  destination in bits 0-47, gap length in units of 4 B, its lower 16 bits, in bits 48-63
///  2  address of the next descriptor, a multiple of 32, in bits 0-47 (0: last), the gap's upper 14 bits in bits 48-61
///  3  length in bytes in bits 0-31; bit 32: source strided; bit 33: destination strided; other bits 0
using DescriptorWords = std::array<std::uint64_t, 4>;
/// Both check what they are given and throw std::invalid_argument.
DescriptorWords encode(const Chained& c);
Chained decode(const DescriptorWords& words);

}  // namespace tsunagi::peach2
