// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "flow/contents.hpp"
#include "models/myrinet/descriptors.hpp"
#include "units/bytes.hpp"

namespace tsunagi::myrinet {

/// What software asks of firmware that makes packets reliable, in the descriptor's type.
enum class Request : std::uint32_t { message, write, read };

/// The type of packets of such firmware (GM's differ).
constexpr std::uint32_t lead_type = 0x504d;

/// What leads the data of a packet from firmware to firmware, little-endian. How it lies is this model's.
struct Lead {
  static constexpr Bytes size{16};
  enum class Kind : std::uint8_t {
    message,
    write,            // to `address`
    read,             // from `address`; the data say where to, and how much
    acknowledgement,  // all before `number` are here
    again,            // that, and the rest is to be sent again
    busy,             // that, and there is no receive buffer for the next one
  };
  enum Flag : std::uint8_t {
    asks = 1,     // for an acknowledgement at once
    answers = 2,  // the last packet that answers a read
  };
  Kind kind = Kind::message;
  std::uint8_t flags = 0;
  std::uint16_t source = 0;  // the sender's terminal
  std::uint32_t number = 0;
  std::uint64_t address = 0;

  bool acknowledges() const { return kind >= Kind::acknowledgement; }
  std::array<std::uint8_t, 16> encode() const {
    std::array<std::uint8_t, 16> out{};
    out[0] = static_cast<std::uint8_t>(kind);
    out[1] = flags;
    flow::write_word(&out[2], source, 2);
    flow::write_word(&out[4], number, 4);
    flow::write_word(&out[8], address, 8);
    return out;
  }
  static Lead decode(const std::uint8_t* from) {
    Lead l;
    l.kind = static_cast<Kind>(from[0]);
    l.flags = from[1];
    l.source = static_cast<std::uint16_t>(flow::read_word(from + 2, 2));
    l.number = static_cast<std::uint32_t>(flow::read_word(from + 4, 4));
    l.address = flow::read_word(from + 8, 8);
    return l;
  }
};

/// The data of a packet that asks for a read.
struct ReadRequest {
  static constexpr Bytes size{16};
  std::uint64_t to = 0;
  std::uint64_t length = 0;

  std::array<std::uint8_t, 16> encode() const {
    std::array<std::uint8_t, 16> out{};
    flow::write_word(&out[0], to, 8);
    flow::write_word(&out[8], length, 8);
    return out;
  }
  static ReadRequest decode(const std::uint8_t* from) {
    return {flow::read_word(from, 8), flow::read_word(from + 8, 8)};
  }
};

/// The type of an event of such firmware: what it tells, and of which peer.
struct Told {
  enum class What : std::uint32_t {
    message = 1,  // as without it
    done = 2,     // so many (the event's handle) of the sends and writes to that peer, the oldest first
    read = 3,     // so many reads
  };
  What what = What::message;
  std::uint16_t peer = 0;
  std::uint32_t encode() const { return static_cast<std::uint32_t>(what) << 16 | peer; }
  static Told decode(std::uint32_t type) { return {static_cast<What>(type >> 16), static_cast<std::uint16_t>(type)}; }
};

}  // namespace tsunagi::myrinet
