// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/gpu/gpu.hpp"
#include "models/libraries/gpu_ring/ring_config.hpp"

namespace tsunagi::libraries {

/// Whose data some bytes are, of which call.
struct RingContent {
  std::uint64_t operation = 0;
  Bytes at;
  Bytes size;
  std::vector<int> of;  // ranks, ascending: what they brought, combined
};

/// From one rank's blocks of a channel to another's, by one protocol: a buffer of `steps` slots and a word ("tail") in
/// the receiver's memory, and a word ("head") in the sender's by which the receiver gives slots back (NCCL:
/// ncclConnInfo). Both words count slots; addresses are offsets in a GPU's memory and, of the other one, where it is
/// reached: in its window, or by NVLink.
struct RingConnection {
  int from = 0;
  int to = 0;
  Bytes slot;
  int steps = 0;
  Bytes in_order;  // lines of the buffer between multiples of it arrive in their order; 0: all do
  std::uint64_t buffer = 0;
  std::uint64_t buffer_window = 0;
  std::uint64_t tail = 0;
  std::uint64_t tail_window = 0;
  std::uint64_t head = 0;
  std::uint64_t head_window = 0;
  std::uint64_t sent = 0;             // slots, as the sender counts
  std::uint64_t received = 0;         // as the receiver does
  std::vector<RingContent> contents;  // what lies in the slots, for checks alone

  std::uint64_t place(std::uint64_t step) const {
    return unsigned_of(slot) * (step % static_cast<std::uint64_t>(steps));
  }
  RingContent& content(std::uint64_t step) { return contents[step % static_cast<std::uint64_t>(steps)]; }
};

/// Memory of a GPU that the library keeps: at its end, downwards, shown in the window.
class RingMemory {
 public:
  RingMemory(gpu::Gpu& g) : gpu_(&g), end_(g.config().memory_size) {}
  /// The next `n` bytes, in whole pages; throws config::ConfigError if there are none left or the window is full.
  std::uint64_t take(Bytes n);
  /// Where a peer finds what was taken: over NVLink if that leads there.
  std::uint64_t window(const RingMemory& peer, std::uint64_t offset, Bytes n);
  const gpu::Gpu& gpu() const { return *gpu_; }
  Bytes left() const { return end_; }

 private:
  gpu::Gpu* gpu_;
  Bytes end_;
};

/// A connection with its buffer and words.
RingConnection make_connection(const RingConfig& r, RingProtocol p, int from, int to, RingMemory& of_sender,
                               RingMemory& of_receiver);

}  // namespace tsunagi::libraries
