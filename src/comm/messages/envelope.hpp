// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "units/bytes.hpp"

namespace tsunagi::comm {

/// Wildcards of a receive or a probe.
constexpr int any_source = -1;
constexpr int any_tag = -1;
/// Tags of programs are 0 .. that (MPI 4.0, 9.1.2: MPI_TAG_UB is at least 32767).
constexpr int largest_tag = 32767;

/// What a receive or a probe learns of the message that it got.
struct Status {
  int source = any_source;
  int tag = any_tag;
  Bytes size;
};

/// What is said of a message beside its bytes. Ranks are those of the world. A message within the eager limit travels
/// with its envelope; of a longer one the envelope comes alone (ready to send), the receiver answers with where the
/// bytes go to (clear to send), and what follows them says that they are there (finished); or it fetches them itself,
/// and tells the sender when they are there (fetched).
struct Envelope {
  enum class Kind : std::uint8_t { eager, ready_to_send, clear_to_send, finished, fetched };
  Kind kind = Kind::eager;
  int source = 0;
  int context = 0;  // of a group: messages of different ones never match
  int tag = 0;
  Bytes size;
  /// Counts those of a pair that are to be matched (eager and ready to send): they are, in this order.
  std::uint32_t sequence = 0;
  // By what sender and receiver know a message that takes several envelopes.
  std::uint32_t send = 0;
  std::uint32_t receive = 0;
  /// The library's own. Of a ready to send: where it finds the bytes; of a clear to send: where it puts them.
  std::uint64_t target = 0;
};

}  // namespace tsunagi::comm
