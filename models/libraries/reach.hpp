// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "net/device.hpp"

namespace tsunagi::libraries {

/// Where a write gets to.
struct Reach {
  std::string refusal;        ///< why it does not come to the device that is meant; empty if it does
  std::uint64_t address = 0;  ///< its address there
};

/// Walks the way of writes to `address` that leave by `out` (which is connected), each of at most `payload`. They do
/// not come to `to` if nobody has the address, or somebody else, or a link on the way carries smaller packets only.
Reach reach(const net::Port& out, std::uint64_t address, const net::Device& to, Bytes payload);

/// Copies what the host memory that has `n` bytes from `address` on keeps of them now, without time, as seen from port
/// `out`; 0 where nobody wrote contents. Returns how many: 0 if no memory has all of them.
std::size_t peek(const net::Port& out, std::uint64_t address, std::uint8_t* to, std::size_t n);

inline std::string reach_refusal(const net::Port& out, std::uint64_t address, const net::Device& to, Bytes payload) {
  return reach(out, address, to, payload).refusal;
}

}  // namespace tsunagi::libraries
