// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "units/bytes.hpp"

namespace tsunagi::fpga {

/// Who writes a descriptor: the host by its driver, or a kernel on the FPGA.
enum class Writer : std::uint8_t { host, kernel };

/// One DMA transfer between a PCIe address and the card's memory (paper 003, table 1 and 3.3). Which of the two is the
/// source the module tells that takes it: the read module's come from PCIe.
struct Descriptor {
  static constexpr Bytes size{32};
  static constexpr Bytes unit{4};  // of addresses and of the length
  /// 18 bits of units: 1 MiB - 4 B.
  static constexpr Bytes longest{4 * ((std::int64_t{1} << 18) - 1)};
  /// Ids 0 .. 127 are the host's, 128 .. 255 the kernel's.
  static constexpr int ids = 256;
  static constexpr int first_of_kernel = 128;

  std::uint64_t source = 0;
  std::uint64_t destination = 0;
  Bytes length;
  int id = 0;

  /// Not a transfer of anybody: the controller has a table of the host's fetched.
  static constexpr int fetch = -1;

  Writer writer() const { return id < first_of_kernel ? Writer::host : Writer::kernel; }
};

/// Throws std::invalid_argument for what the data movers cannot run: no bytes, or more than the length's field holds;
/// a length or address that is no whole number of 4 B; an id of the other writer's half, which would complete to it.
void check(const Descriptor& d, Writer by);

/// The 32-bit words of a descriptor: source low, high, destination low, high, then length (in 4 B) in bits 0-17 and id
/// in bits 18-25; all other bits are reserved and 0.
using DescriptorWords = std::array<std::uint32_t, 8>;
/// Both check what they are given and throw std::invalid_argument.
DescriptorWords encode(const Descriptor& d, Writer by);
Descriptor decode(const DescriptorWords& words, Writer by);

}  // namespace tsunagi::fpga
