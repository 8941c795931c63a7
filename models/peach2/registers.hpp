// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tsunagi::peach2 {

/// The chip's register file as the host and other nodes see it in the chip region, eight bytes a
/// register. The paper names the registers (3.5.2), not their places; the layout is ours.
/// Channel c has its block at c x `channel_block`, descriptor d of it at d x `descriptor_block`.
struct Registers {
  static constexpr std::uint64_t channel_block = 0x1000;
  static constexpr std::uint64_t descriptor_block = 0x40;
  static constexpr std::uint64_t source = 0x00;       // host-local address to read from
  static constexpr std::uint64_t destination = 0x08;  // address in the shared window to write to
  static constexpr std::uint64_t length = 0x10;       // bytes
  static constexpr std::uint64_t control = 0xf00;     // write n: run descriptors 0 .. n-1
  static constexpr std::uint64_t status = 0xf08;      // address in the shared window of the completion status; 0: none
  static constexpr int descriptors = 16;

  static constexpr std::uint64_t of_channel(int c) { return static_cast<std::uint64_t>(c) * channel_block; }
  static constexpr std::uint64_t of_descriptor(int c, int d) {
    return of_channel(c) + static_cast<std::uint64_t>(d) * descriptor_block;
  }
};

}  // namespace tsunagi::peach2
