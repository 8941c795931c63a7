// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "units/bytes.hpp"

namespace tsunagi::infiniband {

/// What a packet is (InfiniBand Architecture Specification, volume 1, 9.2.1, table 38: BTH opcodes). The values are
/// this model's: the service (reliable connection or datagram) is one with the operation.
enum class Opcode : std::uint8_t {
  send_first,
  send_middle,
  send_last,
  send_only,
  send_last_immediate,
  send_only_immediate,
  write_first,
  write_middle,
  write_last,
  write_only,
  read_request,
  read_response_first,
  read_response_middle,
  read_response_last,
  read_response_only,
  acknowledge,
  atomic_acknowledge,
  compare_and_swap,
  fetch_and_add,
  datagram_send_only,
};

constexpr bool is_send(Opcode o) { return o <= Opcode::send_only_immediate || o == Opcode::datagram_send_only; }
constexpr bool is_write(Opcode o) { return o >= Opcode::write_first && o <= Opcode::write_only; }
constexpr bool is_read_response(Opcode o) {
  return o >= Opcode::read_response_first && o <= Opcode::read_response_only;
}
constexpr bool is_atomic(Opcode o) { return o == Opcode::compare_and_swap || o == Opcode::fetch_and_add; }
/// Whether a responder's answer comes by it: it goes to the requester's side of a queue pair.
constexpr bool is_answer(Opcode o) {
  return is_read_response(o) || o == Opcode::acknowledge || o == Opcode::atomic_acknowledge;
}
constexpr bool is_first(Opcode o) {
  return o == Opcode::send_first || o == Opcode::write_first || o == Opcode::read_response_first;
}
constexpr bool is_middle(Opcode o) {
  return o == Opcode::send_middle || o == Opcode::write_middle || o == Opcode::read_response_middle;
}
/// Whether a message ends with it.
constexpr bool ends_message(Opcode o) { return !is_first(o) && !is_middle(o); }
/// Whether a message begins with it.
constexpr bool begins_message(Opcode o) {
  return !is_middle(o) && o != Opcode::send_last && o != Opcode::send_last_immediate && o != Opcode::write_last &&
         o != Opcode::read_response_last;
}

/// Bytes of the transport headers: BTH and the extended ones of the operation (9.2 to 9.3: RETH 16, AETH 4, AtomicETH
/// 28, AtomicAckETH 8, ImmDt 4, DETH 8). The operands of an atomic operation, 16 of its 28 B, and the answer's 8 are
/// the packet's data here.
constexpr Bytes transport_header(Opcode o) {
  constexpr Bytes base{12};
  switch (o) {
    case Opcode::write_first:
    case Opcode::write_only:
    case Opcode::read_request:
      return base + Bytes(16);
    case Opcode::send_last_immediate:
    case Opcode::send_only_immediate:
    case Opcode::acknowledge:
    case Opcode::read_response_first:
    case Opcode::read_response_last:
    case Opcode::read_response_only:
    case Opcode::atomic_acknowledge:
      return base + Bytes(4);
    case Opcode::datagram_send_only:
      return base + Bytes(8);
    case Opcode::compare_and_swap:
    case Opcode::fetch_and_add:
      return base + Bytes(12);
    default:
      return base;
  }
}

}  // namespace tsunagi::infiniband
