// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tsunagi::peach2 {

/// The chip's register file as the host and other nodes see it from the start of the chip region, eight bytes a
/// register. The paper names the registers (3.5, 3.5.2), not their places; the layout is ours.
/// Channel c has its block at c x `channel_block`, descriptor d of it at d x `descriptor_block`.
struct Registers {
  static constexpr std::uint64_t channel_block = 0x1000;
  static constexpr std::uint64_t descriptor_block = 0x40;
  static constexpr std::uint64_t source = 0x00;       // address to read from: host-local, or the chip's packet memory
  static constexpr std::uint64_t destination = 0x08;  // address in the shared window to write to
  static constexpr std::uint64_t length = 0x10;       // bytes
  static constexpr std::uint64_t stride = 0x18;       // burst length in bits 0-31, gap length in bits 32-63, bytes
  static constexpr std::uint64_t flags = 0x20;        // which sides are strided
  static constexpr int descriptor_words = 5;

  static constexpr std::uint64_t control = 0xf00;  // write n: run descriptors 0 .. n-1; reads 1 while the channel runs
  static constexpr std::uint64_t status = 0xf08;   // address in the shared window of the completion status; 0: none
  static constexpr std::uint64_t chain = 0xf10;    // write the address of a chain's first descriptor: run the chain
  static constexpr int descriptors = 16;

  static constexpr std::uint64_t source_strided = 1;  // in `flags`
  static constexpr std::uint64_t destination_strided = 2;

  static constexpr std::uint64_t interrupt = 0x8000;          // write: interrupts the host with the value written
  static constexpr std::uint64_t interrupt_address = 0x8008;  // host-local address that interrupts are written to

  static constexpr std::uint64_t of_channel(int c) { return static_cast<std::uint64_t>(c) * channel_block; }
  static constexpr std::uint64_t of_descriptor(int c, int d) {
    return of_channel(c) + static_cast<std::uint64_t>(d) * descriptor_block;
  }
};

/// What else lies in the chip region, behind the registers.
struct ChipRegion {
  static constexpr std::uint64_t descriptor_memory = 0x1'0000;
  static constexpr int descriptors = 1024;
  static constexpr std::uint64_t packet_memory = 0x10'0000;

  /// Offset of descriptor `d` in descriptor memory.
  static constexpr std::uint64_t of_descriptor(int d) { return descriptor_memory + static_cast<std::uint64_t>(d) * 32; }
};

}  // namespace tsunagi::peach2
