// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "flow/contents.hpp"
#include "units/bytes.hpp"

namespace tsunagi::infiniband {

/// What a work request of a send queue asks for.
enum class Operation : std::uint8_t { send, write, read, compare_and_swap, fetch_and_add };

constexpr bool is_atomic(Operation o) { return o == Operation::compare_and_swap || o == Operation::fetch_and_add; }
/// Whether data come back: it is done with its answer, not with an acknowledgement.
constexpr bool is_answered(Operation o) { return o == Operation::read || is_atomic(o); }

/// A work request as software posts it. Its form in memory has the segments, and therefore the size, of ConnectX's
/// (linux-rdma, providers/mlx4: control 16 B, remote address 16, atomic 16, datagram 48, data pointer 16 or an inline
/// header of 4 B for each 64 B); where each field lies is this model's.
struct WorkRequest {
  Operation operation = Operation::send;
  bool signalled = true;  // a completion queue entry tells its end; errors are told anyway
  bool inlined = false;   // the data are in the request
  bool has_immediate = false;
  std::uint32_t immediate = 0;
  Bytes length;               // of the data, 0 .. 2^31
  std::uint64_t local = 0;    // host address that they are read from, or brought to
  std::uint64_t remote = 0;   // the same at the peer
  std::uint64_t operand = 0;  // what is added, or put in the place of `compare`
  std::uint64_t compare = 0;
  /// Of a datagram: whom it is for.
  bool datagram = false;
  std::uint32_t lid = 0;
  std::uint32_t queue_pair = 0;
};

/// How work requests lie in their queues.
struct RequestForm {
  Bytes inline_header{4};   // in front of inline data, and of each 64 B of them behind
  Bytes entry;              // of a send queue; 0: as many 64 B as its largest request takes
  Bytes datagram{48};       // whom a datagram is for
  Bytes receive_entry{16};  // of a receive queue
};

/// Bytes of a request in a send queue: whole 16 B.
Bytes size_of(const WorkRequest& r, const RequestForm& form = {});

/// A request in its place in a send queue: entry `index` of queue pair `queue_pair`, valid in a round of the ring whose
/// number is odd or even (`odd`).
struct PlacedRequest {
  WorkRequest what;
  std::uint16_t index = 0;
  std::uint32_t queue_pair = 0;
  bool odd = false;
  bool valid = true;  // memory that nobody has written is not
};
/// All but inline data, which belong behind it.
std::vector<std::uint8_t> encode(const PlacedRequest& r, const RequestForm& form = {});
/// Of the first bytes of an entry; at least 16 B, or as many as `size_of` says.
PlacedRequest decode(const std::uint8_t* bytes, const RequestForm& form = {});
/// Where in the entry inline data begin.
Bytes inline_offset(const WorkRequest& r, const RequestForm& form = {});

/// A posted receive: where the data of a message go to. 16 B (linux-rdma, providers/mlx4: a data pointer).
struct ReceiveRequest {
  static constexpr Bytes size{16};
  std::uint64_t address = 0;
  Bytes length;
};
std::array<std::uint8_t, 16> encode(const ReceiveRequest& r, bool odd);
/// Returns whether it is valid in such a round.
bool decode(const std::uint8_t* bytes, bool odd, ReceiveRequest& r);

/// An entry of a completion queue, 32 B (linux-rdma, providers/mlx4), the last byte of which has the owner bit.
struct Completion {
  static constexpr Bytes size{32};
  std::uint32_t queue_pair = 0;
  std::uint16_t index = 0;  // of the request in its queue
  bool receive = false;     // of a receive queue, else of a send queue
  std::uint8_t syndrome = 0;
  bool has_immediate = false;
  std::uint32_t immediate = 0;
  Bytes length;
  std::uint32_t source = 0;  // of a receive: LID of who sent it
};
std::array<std::uint8_t, 32> encode(const Completion& c, bool odd);
Completion decode_completion(const std::uint8_t* bytes);
/// Whether the last eight bytes of an entry say that it is valid in such a round.
constexpr bool is_owned(std::uint64_t last_word, bool odd) {
  return (last_word >> 56 & 0x80) != 0 && (last_word >> 56 & 1) == (odd ? 1u : 0u);
}

}  // namespace tsunagi::infiniband
