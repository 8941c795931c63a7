// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tlm>
#include <vector>

namespace tsunagi::card {

/// Bytes of a transaction that lie together: in its data from `at` on, in the cluster from `address` on.
struct EnabledBytes {
  std::uint64_t address = 0;
  unsigned at = 0;
  unsigned size = 0;
};

/// Why the bytes of a transaction cannot be said (IEEE 1666-2011, clause 14); TLM_OK_RESPONSE: they can.
tlm::tlm_response_status refusal(const tlm::tlm_generic_payload& t);

/// The bytes that a transaction moves, in the order of its data: without those whose byte enable is 0; with a
/// streaming width below the length the address goes back to its begin behind each `streaming_width` bytes.
std::vector<EnabledBytes> enabled_bytes(const tlm::tlm_generic_payload& t);

}  // namespace tsunagi::card
