// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/infiniband/opcode.hpp"
#include "models/router/header.hpp"
#include "units/bytes.hpp"

namespace tsunagi::infiniband {

/// Packet sequence numbers and queue pairs' numbers have 24 bits (InfiniBand Architecture Specification, volume 1,
/// 9.2: base transport header).
constexpr std::uint32_t number_mask = 0xffffff;

/// How far `a` is ahead of `b` (behind: negative), both packet sequence numbers, at most half of all apart (9.7.1).
constexpr std::int32_t ahead(std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>((a - b) << 8) >> 8; }

/// What a packet says beside its data and its address. The local route header is the router's: a LID is a terminal's
/// place in the network, and a virtual lane its virtual channel. The address of a packet with an RDMA extended
/// transport header is the remote one, that of a datagram, reliable or not, its source queue pair's number, that of
/// another send its immediate data; a read request's stride is the bytes that it asks for. The data of an atomic
/// operation are its operands, that of an answer the value found.
struct Header {
  router::Header route;
  std::uint32_t queue_pair : 24;  // the destination's
  std::uint32_t opcode : 8;
  std::uint32_t sequence : 24;  // number of the packet
  std::uint32_t ask : 1;        // for an acknowledgement
  std::uint32_t datagram : 1;   // with the extended headers of a reliable datagram
  std::uint32_t syndrome : 6;   // of an acknowledge extended transport header

  Header() : queue_pair(0), opcode(0), sequence(0), ask(0), datagram(0), syndrome(0) {}
  Opcode code() const { return static_cast<Opcode>(opcode); }
};
static_assert(sizeof(Header) == 24);

/// Of an acknowledgement (table 43 and following of 9.7.5.1): all well, no receive posted (try again), or why not. The
/// codes are this model's; on the wire they share a byte with credit counts and timers.
enum Syndrome : std::uint8_t { acknowledged, receiver_not_ready, sequence_error, invalid_request, remote_access_error };

}  // namespace tsunagi::infiniband
