// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <variant>

#include "units/bytes.hpp"
#include "units/work.hpp"

namespace tsunagi::gpu {

/// Where one side of a copy lies: in the engine's own memory (its address is an offset there), in host memory, in the
/// BAR window of another GPU (bus addresses), or in the memory of one that NVLink leads to (addresses there).
enum class Aperture : std::uint8_t { local = 0, host = 1, peer = 2, nvlink = 3 };

/// What a copy engine is told to do: copy, and then release a semaphore, a 32-bit word in host memory that gets to say
/// `payload`.
struct CopyCommand {
  static constexpr Bytes size{64};

  std::uint64_t source = 0;
  std::uint64_t destination = 0;
  Bytes length;  // 1 .. 2^32 - 1
  Aperture from = Aperture::local;
  Aperture to = Aperture::host;
  /// The release waits until the data can be seen at the destination. Of use where the paths of data and semaphore
  /// part.
  bool flush = false;
  std::uint64_t semaphore = 0;  // a multiple of 4
  std::uint32_t payload = 0;
};

/// What a GPU is told to compute, and then to release a semaphore as a copy does.
struct KernelCommand {
  Work work;                    // no negative numbers
  std::uint64_t semaphore = 0;  // a multiple of 4
  std::uint32_t payload = 0;
  /// Not 0: a kernel that loads and stores by a program of its own, and what that is told; it takes as long as that
  /// does, behind `work`.
  std::uint32_t program = 0;
};

/// What a channel is told to wait for: that of the commands of another one so many have ended. Then it releases a
/// semaphore as a copy does.
struct WaitCommand {
  std::uint32_t channel = 0;
  std::uint64_t commands = 0;
  std::uint64_t semaphore = 0;  // a multiple of 4
  std::uint32_t payload = 0;
};

using Command = std::variant<CopyCommand, KernelCommand, WaitCommand>;

/// A command in a push buffer. What a copy holds is that of Kepler's copy class (NVIDIA, public class header cla0b5.h:
/// SET_SEMAPHORE_A, _B, _PAYLOAD, OFFSET_IN and _OUT, PITCH_IN and _OUT, LINE_LENGTH_IN, LINE_COUNT, LAUNCH_DMA), which
/// with the headers of its methods takes 15 or 16 words of 4 B; the layout of these 64 B is ours:
///  0  source    1  destination    2  length in bits 0-31; 32-33 from, 34-35 to, 36 flush    3  0: a copy
///  0  operations    1  bytes    2  precision (0 double, 1 single)    3  1: a kernel
///  0  channel    1  commands    2  0    3  2: a wait
/// and of all
///  4  semaphore    5  payload    6  of a kernel: program, else 0    7  0
/// (A kernel's launch descriptor has 256 B, what waits is a semaphore method of the host's class; both are one fetch
/// here, too.)
using CommandWords = std::array<std::uint64_t, 8>;
/// All throw std::invalid_argument for what no engine can do: no bytes or too many, a semaphore that is no whole word,
/// not exactly one side in its own memory.
CommandWords encode(const CopyCommand& c);
CommandWords encode(const KernelCommand& c);
CommandWords encode(const WaitCommand& c);
Command decode(const CommandWords& words);

/// An entry of the ring that says which pieces of the push buffer to run (GPFIFO), as nouveau writes it
/// (nv50_dma_push): the address, below 2^40, and from bit 42 on the number of 4 B words.
struct RingEntry {
  static constexpr Bytes size{8};

  std::uint64_t address = 0;
  Bytes length;
};
std::uint64_t encode(const RingEntry& e);
RingEntry decode_entry(std::uint64_t word);

/// Registers of a channel in BAR0, 8 B each, write only: first those of the copy engines, one each, then those of
/// streams. (A Kepler GPU takes `put` in a page of BAR1 that it watches; on the bus that is the same.)
struct Registers {
  static constexpr std::uint64_t block = 0x1000;  // of a channel
  static constexpr std::uint64_t ring = 0x00;     // address of the ring
  static constexpr std::uint64_t entries = 0x08;  // entries of the ring, at least 2
  static constexpr std::uint64_t put = 0x10;      // number of the entry behind the last to run: the doorbell
  static constexpr std::uint64_t of_channel(int c) { return block * static_cast<std::uint64_t>(c); }
};

}  // namespace tsunagi::gpu
