// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "comm/facets/streams.hpp"
#include "fiber/fiber.hpp"
#include "units/bytes.hpp"

namespace tsunagi::comm {

/// A collective that a rank queues in a stream, and how large it is.
struct QueuedCollective {
  /// `send_receive`: every rank sends to the next one and receives from the one before.
  enum class Kind : std::uint8_t { allreduce, all_gather, reduce_scatter, send_receive, broadcast, reduce };
  Kind kind = Kind::allreduce;
  /// Of an all-gather or a reduce-scatter all ranks' parts together, of others what each rank has.
  Bytes size;
  int root = 0;  // of a broadcast or a reduction to one
};

constexpr const char* name_of(QueuedCollective::Kind k) {
  constexpr const char* names[] = {"allreduce", "all_gather", "reduce_scatter", "send_receive", "broadcast", "reduce"};
  return names[static_cast<int>(k)];
}

/// Collectives of all ranks that run in a stream of each rank's GPU, without its core, as kernels of NCCL do. The ranks
/// queue them in the same order.
class StreamCollectives {
 public:
  virtual ~StreamCollectives() = default;
  /// Throws config::ConfigError if the library does not do such a one. Before time 0.
  virtual void check_queued(const QueuedCollective& c) const = 0;
  /// How it does it: "ring, LL, 2 channels".
  virtual std::string how(const QueuedCollective& c) const = 0;
  /// Queues it; returns when the rank may go on. The event is that of the rank's part being over, for `Streams`.
  virtual StreamEvent enqueue(Fiber& f, int rank, const QueuedCollective& c) = 0;
};

}  // namespace tsunagi::comm
