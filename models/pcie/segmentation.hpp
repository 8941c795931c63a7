// SPDX-License-Identifier: Apache-2.0
// How requesters and completers cut what they move into TLPs: the one place of these rules.
#pragma once

#include <cstdint>

#include "flow/segmentation.hpp"

namespace tsunagi::pcie {

/// No request crosses a multiple of this (Base Specification 2.2.7).
constexpr Bytes request_boundary = 4_KiB;

/// How a requester cuts what it writes: as little as it must, at `max_payload` and at 4 KiB (Base Specification 2.2.2,
/// 2.2.7), or so that no write crosses a multiple of `max_payload` either, which is a device's own choice.
struct WriteCut {
  Bytes max_payload;  // MPS of the link
  bool aligned = false;
};

/// The next memory writes of a transfer to `address` of which `left` (> 0) is to be written, as many as are alike, up
/// to `most`.
inline flow::Pieces next_writes(const WriteCut& cut, std::uint64_t address, Bytes left, std::int64_t most = 1) {
  return flow::next_pieces(address, left, cut.max_payload, cut.aligned ? cut.max_payload : request_boundary, most);
}

/// Bytes of the next memory read of a transfer from `address` of which `left` (> 0) is to be read: at most
/// `max_read_request` (MRRS), not across `boundary`, which is 4 KiB or, a device's own choice, less (Base Specification
/// 2.2.7).
inline Bytes next_read(std::uint64_t address, Bytes left, Bytes max_read_request, Bytes boundary = request_boundary) {
  return flow::next_piece(address, left, max_read_request, boundary);
}

/// Completions of all but root complexes end at multiples of 128 B (Base Specification 2.3.1.1: RCB): the largest one
/// on a link that carries `max_payload` in a packet, which is at least that.
inline Bytes largest_completion(Bytes max_payload) {
  constexpr Bytes read_completion_boundary{128};
  return read_completion_boundary * (max_payload / read_completion_boundary);
}

/// The next completions of a read from `address` of which `left` (> 0) is to be answered, as many as are alike, up to
/// `most`: each ends at a multiple of `largest`, which is one of the read completion boundary and at most the link's
/// MPS, the last one as it comes (Base Specification 2.3.1.1).
inline flow::Pieces next_completions(Bytes largest, std::uint64_t address, Bytes left, std::int64_t most = 1) {
  return flow::next_pieces(address, left, largest, largest, most);
}

}  // namespace tsunagi::pcie
