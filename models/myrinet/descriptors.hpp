// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "flow/contents.hpp"
#include "units/bytes.hpp"

namespace tsunagi::myrinet {

/// What software and a LANai card's firmware tell each other, little-endian. How these lie is this model's; what they
/// say is what GM's tokens and events do: a send, a receive buffer, a packet that has come.

/// A packet to be sent.
struct SendDescriptor {
  static constexpr Bytes size{32};
  std::uint64_t address = 0;  // of the data, in host memory
  std::uint32_t length = 0;
  std::uint32_t type = 0;  // of the packet
  std::uint16_t destination = 0;
  bool notify = false;       // the card tells how many sends are done when the data have left the host
  std::uint64_t remote = 0;  // of a write or read of firmware that has them: in the peer's memory
  std::uint32_t number = 0;  // of those of its card, from 1 on

  std::array<std::uint8_t, 32> encode() const {
    std::array<std::uint8_t, 32> out{};
    flow::write_word(&out[0], address, 8);
    flow::write_word(&out[8], length, 4);
    flow::write_word(&out[12], type, 4);
    flow::write_word(&out[16], destination, 2);
    flow::write_word(&out[18], notify ? 1 : 0, 2);
    flow::write_word(&out[20], remote, 8);
    flow::write_word(&out[28], number, 4);
    return out;
  }
  static SendDescriptor decode(const std::uint8_t* from) {
    SendDescriptor d;
    d.address = flow::read_word(from, 8);
    d.length = static_cast<std::uint32_t>(flow::read_word(from + 8, 4));
    d.type = static_cast<std::uint32_t>(flow::read_word(from + 12, 4));
    d.destination = static_cast<std::uint16_t>(flow::read_word(from + 16, 2));
    d.notify = flow::read_word(from + 18, 2) != 0;
    d.remote = flow::read_word(from + 20, 8);
    d.number = static_cast<std::uint32_t>(flow::read_word(from + 28, 4));
    return d;
  }
};

/// Host memory for one packet.
struct ReceiveBuffer {
  static constexpr Bytes size{16};
  std::uint64_t address = 0;
  std::uint32_t length = 0;
  std::uint32_t handle = 0;  // comes back in the event

  std::array<std::uint8_t, 16> encode() const {
    std::array<std::uint8_t, 16> out{};
    flow::write_word(&out[0], address, 8);
    flow::write_word(&out[8], length, 4);
    flow::write_word(&out[12], handle, 4);
    return out;
  }
  static ReceiveBuffer decode(const std::uint8_t* from) {
    return {flow::read_word(from, 8), static_cast<std::uint32_t>(flow::read_word(from + 8, 4)),
            static_cast<std::uint32_t>(flow::read_word(from + 12, 4))};
  }
};

/// A packet has come and lies in a receive buffer. The last word is polled.
struct ReceiveEvent {
  static constexpr Bytes size{16};
  std::uint32_t length = 0;
  std::uint32_t type = 0;
  std::uint32_t handle = 0;
  std::uint32_t number = 0;  // of the card's events, from 1 on

  std::array<std::uint8_t, 16> encode() const {
    std::array<std::uint8_t, 16> out{};
    flow::write_word(&out[0], length, 4);
    flow::write_word(&out[4], type, 4);
    flow::write_word(&out[8], handle, 4);
    flow::write_word(&out[12], number, 4);
    return out;
  }
  static ReceiveEvent decode(const std::uint8_t* from) {
    const auto word = [from](int at) { return static_cast<std::uint32_t>(flow::read_word(from + at, 4)); };
    return {word(0), word(4), word(8), word(12)};
  }
};

}  // namespace tsunagi::myrinet
