// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tsunagi::fpga {

/// Which way a data mover moves: the read mover reads PCIe, the write mover writes to it.
enum class Direction : std::uint8_t { read, write };

/// What the host sees of the card: registers of the descriptor controller, eight bytes each, and behind them a window
/// onto the card's memory. The vendor's controller has the same registers, of four bytes and at other places; table and
/// status lie as there (Intel, Arria 10 Avalon-MM DMA user guide, "Descriptor Controller Registers").
struct Registers {
  static constexpr std::uint64_t block = 0x100;   // of each direction: reads, then writes
  static constexpr std::uint64_t table = 0x00;    // host address of status words and descriptors
  static constexpr std::uint64_t last = 0x08;     // write n: run descriptors 0 .. n of the table
  static constexpr std::uint64_t window = 0x200;  // card address that the window shows
  static constexpr std::uint64_t end = 0x1000;

  static constexpr int descriptors = 128;  // of a table
  /// In the table: a status word of four bytes a descriptor, 1 when it has been done, then the descriptors.
  static constexpr std::uint64_t of_status(int id) { return static_cast<std::uint64_t>(id) * 4; }
  static constexpr std::uint64_t of_descriptor(int id) { return 0x200 + static_cast<std::uint64_t>(id) * 32; }

  // Where the read mover writes descriptors of a table to: addresses beyond the card's memory.
  static constexpr std::uint64_t fetch_base = std::uint64_t{1} << 62;
  static constexpr std::uint64_t fifo_of(Direction d) { return fetch_base + (static_cast<std::uint64_t>(d) << 32); }
};

}  // namespace tsunagi::fpga
