// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "units/bytes.hpp"

namespace tsunagi::sr8000 {

/// A transfer control word (TCW): what a network interface adapter is to send (paper 002, 4.1: address and size of the
/// data, destination node, remote DMA identifier, offset). 64 B in the sender's memory; where each field lies is this
/// model's. Built once, it may be sent any number of times. An adapter numbers its transfers 1, 2, 3 and so on.
struct Tcw {
  static constexpr Bytes size{64};
  std::uint64_t source = 0;       // address of the data
  Bytes length;                   // > 0
  std::uint32_t destination = 0;  // node; of a broadcast the lowest corner of the box of nodes
  std::uint32_t last = 0;         // of a broadcast: the highest
  std::uint16_t field = 0;        // remote DMA field of the receiver
  std::uint64_t offset = 0;       // in it
  bool broadcast = false;
  bool flagged = false;  // a word of 8 B follows the data (flag_of)
  std::uint16_t flag_field = 0;
  std::uint64_t flag_offset = 0;

  friend bool operator==(const Tcw& a, const Tcw& b) {
    return a.source == b.source && a.length == b.length && a.destination == b.destination && a.last == b.last &&
           a.field == b.field && a.offset == b.offset && a.broadcast == b.broadcast && a.flagged == b.flagged &&
           a.flag_field == b.flag_field && a.flag_offset == b.flag_offset;
  }
};

/// What the flag says that follows the data of a node's transfer: no two transfers' flags are alike.
constexpr std::uint64_t flag_of(std::uint32_t node, std::uint64_t number) {
  return (std::uint64_t{node} + 1) << 40 | number;
}

using TcwBytes = std::array<std::uint8_t, 64>;
TcwBytes encode(const Tcw& t);
/// Throws std::runtime_error for bytes that are none.
Tcw decode_tcw(const std::uint8_t* bytes);

/// What is written to an adapter's register to come to a hardware barrier: which colour, and the corners of the box of
/// nodes.
struct BarrierCall {
  int colour = 0;           // 0 .. 7
  std::uint32_t first = 0;  // nodes, < 2^24
  std::uint32_t last = 0;
};
constexpr std::uint64_t encode(const BarrierCall& b) {
  return static_cast<std::uint64_t>(b.colour) | std::uint64_t{b.first} << 16 | std::uint64_t{b.last} << 40;
}
constexpr BarrierCall decode_barrier(std::uint64_t v) {
  return {static_cast<int>(v & 0xffff), static_cast<std::uint32_t>(v >> 16 & 0xffffff),
          static_cast<std::uint32_t>(v >> 40)};
}

}  // namespace tsunagi::sr8000
