// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "flow/packet.hpp"
#include "units/bytes.hpp"

namespace tsunagi::myrinet {

/// Route bytes that a packet can carry at most, in this model.
constexpr int most_route = 16;
/// The top bit of a byte in front of the type says that it is one of the route (Myrinet link specification: packets).
constexpr std::uint8_t route_mark = 0x80;
constexpr Bytes type_size{4};
constexpr Bytes crc_size{1};
/// The control symbol behind a packet.
constexpr Bytes gap_size{1};

/// The bytes that lead a packet to its destination, one a crossbar: the number of the output there, and the mark.
struct SourceRoute {
  std::uint8_t bytes[most_route] = {};
  std::uint8_t size = 0;
  void add(int output) { bytes[size++] = static_cast<std::uint8_t>(route_mark | output); }
};

/// What a piece of a packet says to those on its way. A packet travels as pieces, the first with route and type, the
/// last with the check. What is all zero is a piece in the middle.
struct Header {
  SourceRoute route;
  std::uint8_t taken;  // bytes of the route that crossbars have taken off
  std::uint8_t head : 1;
  std::uint8_t tail : 1;
  std::uint32_t type;
  int left() const { return route.size - taken; }
};
static_assert(sizeof(Header) == 24);

}  // namespace tsunagi::myrinet
