// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "flow/contents.hpp"
#include "units/bytes.hpp"

namespace tsunagi::ethernet {

/// A frame's place in host memory, as a ring has it: address 8 B, length 2 B, flags and status (16 B, as the legacy
/// descriptors of Intel's 8254x, software developer's manual 3.2.3 and 3.3.3). A frame lies there from its destination
/// address to the end of its payload.
struct Descriptor {
  static constexpr Bytes size{16};
  static constexpr std::uint64_t status_at = 12;
  static constexpr std::uint8_t done = 1;       // status: DD
  static constexpr std::uint8_t report = 8;     // command of a transmit descriptor: RS, its end shall be written back
  static constexpr std::uint8_t interrupt = 1;  // ours: and be told by an interrupt
  std::uint64_t address = 0;
  std::uint16_t length = 0;
  std::uint8_t command = 0;
  std::uint8_t status = 0;

  std::array<std::uint8_t, 16> encoded() const {
    std::array<std::uint8_t, 16> out{};
    flow::write_word(out.data(), address, 8);
    flow::write_word(out.data() + 8, length, 2);
    out[11] = command;
    out[status_at] = status;
    return out;
  }
  static Descriptor decode(const std::uint8_t* bytes) {
    Descriptor d;
    d.address = flow::read_word(bytes, 8);
    d.length = static_cast<std::uint16_t>(flow::read_word(bytes + 8, 2));
    d.command = bytes[11];
    d.status = bytes[status_at];
    return d;
  }
};

/// A ring of them in host memory; one entry is always empty, so that a full one is no empty one.
struct Ring {
  std::uint64_t base = 0;
  int entries = 0;
  std::uint64_t at(std::uint64_t number) const {
    return base + unsigned_of(Descriptor::size) * (number % static_cast<std::uint64_t>(entries));
  }
};

}  // namespace tsunagi::ethernet
