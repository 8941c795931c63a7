// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "comm/steps.hpp"
#include "fiber/fiber.hpp"
#include "models/gpu/gpu.hpp"
#include "models/libraries/gpu_ring/ring_connection.hpp"
#include "models/libraries/gpu_ring/ring_operation.hpp"

namespace tsunagi::libraries {

/// The collective kernel of one rank's GPU: a thread block a channel, each of which does the primitives of its part
/// one behind the other (NCCL, src/device/prims_simple.h and prims_ll.h).
///  - simple, a slice at a time: wait for the sender's tail and for free slots; the block's threads load and store to
///    the next ones' buffers; a barrier, at which the thread that tells has done so for the slice before; then a fence
///    and the tail to those, and at once the head to those before.
///  - ll and ll128, by warps: each polls its lines, combines and stores lines with their flag; a warp's next turn is
///    behind its last. When all have come the head is told.
class RingKernel final : public gpu::Programs {
 public:
  /// What it needs of the library.
  struct Calls {
    std::function<RingOperation&(std::uint64_t number)> operation;
    std::function<void(int rank, std::uint64_t number)> over;
    std::function<RingConnection&(RingProtocol p, int channel, int from, int to)> connection;
  };
  RingKernel(gpu::Gpu& g, int rank, const RingConfig& c, Calls calls, const comm::Steps& step, sim::Simulation& sim);

  void begin(std::uint32_t program, net::Cause by) override;

 private:
  void run_block(Fiber& f, int channel);
  void simple(Fiber& f, int channel, const RingPrimitive& p, const RingBlock& b);
  void slice(Fiber& f, int channel, const RingPrimitive& p, const RingBlock& b);
  void lines(Fiber& f, int channel, const RingPrimitive& p, const RingBlock& b);
  /// Waits until slots up to `steps` more can be sent to all of `to`, as the block has polled since now.
  gpu::StoreUnit::Seen wait_room(Fiber& f, const std::vector<RingConnection*>& to, int steps);
  std::vector<RingConnection*> incoming(int channel, const RingPrimitive& p) const;
  std::vector<RingConnection*> outgoing(int channel, const RingPrimitive& p) const;
  static gpu::Stores stores(int channel, const RingBlock& b, const std::vector<RingConnection*>& from,
                            const RingConnection& to);
  /// What the rank has in its hands, and keeps if it does.
  RingContent take(const RingPrimitive& p, const RingBlock& b, const std::vector<RingConnection*>& from);
  RingOperation& operation() const { return calls_.operation(number_); }

  gpu::Gpu& gpu_;
  gpu::StoreUnit& unit_;
  int rank_;
  const RingConfig& config_;
  Calls calls_;
  const comm::Steps& step_;
  std::uint64_t number_ = 0;  // of the call that runs
  net::Cause begun_;
  int channels_ = 0;  // blocks that take part
  int running_ = 0;
  Event started_;
};

}  // namespace tsunagi::libraries
