// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "flow/contents.hpp"
#include "units/bytes.hpp"

namespace tsunagi::libraries {

/// PM's header of a packet on Ethernet, 32 B (SCore's manual of pm-ethernet: 1,468 of a frame's 1,500 B are PM's data);
/// where each field lies is this model's.
struct PmPacket {
  enum class Kind : std::uint8_t {
    acknowledgement = 1,  // nothing else
    message,
    write,   // `size` bytes to `address`
    read,    // asks for `size` bytes at `address`, to be written to `answer`
    answer,  // of a read: a write
  };
  static constexpr Bytes header{32};

  Kind kind = Kind::acknowledgement;
  bool last = false;           // of its operation
  bool asks = false;           // somebody waits for its acknowledgement
  std::uint16_t size = 0;      // bytes behind the header
  std::uint32_t number = 0;    // of those to that peer that are to be acknowledged
  std::uint32_t expected = 0;  // all before have come from there
  std::uint32_t asked = 0;     // bytes that a read asks for
  std::uint64_t address = 0;
  std::uint64_t answer = 0;

  std::array<std::uint8_t, 32> encode() const {
    std::array<std::uint8_t, 32> b{};
    b[0] = static_cast<std::uint8_t>(kind);
    b[1] = static_cast<std::uint8_t>((last ? 1 : 0) | (asks ? 2 : 0));
    flow::write_word(&b[2], size, 2);
    flow::write_word(&b[4], number, 4);
    flow::write_word(&b[8], expected, 4);
    flow::write_word(&b[12], asked, 4);
    flow::write_word(&b[16], address, 8);
    flow::write_word(&b[24], answer, 8);
    return b;
  }
  static PmPacket decode(const std::uint8_t* b) {
    PmPacket p;
    p.kind = static_cast<Kind>(b[0]);
    p.last = (b[1] & 1) != 0;
    p.asks = (b[1] & 2) != 0;
    p.size = static_cast<std::uint16_t>(flow::read_word(b + 2, 2));
    p.number = static_cast<std::uint32_t>(flow::read_word(b + 4, 4));
    p.expected = static_cast<std::uint32_t>(flow::read_word(b + 8, 4));
    p.asked = static_cast<std::uint32_t>(flow::read_word(b + 12, 4));
    p.address = flow::read_word(b + 16, 8);
    p.answer = flow::read_word(b + 24, 8);
    return p;
  }
};

}  // namespace tsunagi::libraries
