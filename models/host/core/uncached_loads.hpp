// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "fiber/fiber.hpp"
#include "flow/contents.hpp"
#include "flow/packet.hpp"
#include "models/host/core/core_steps.hpp"
#include "models/host/core/polling_loop.hpp"
#include "models/host/core/write_combining.hpp"
#include "models/host/core_config.hpp"
#include "net/device.hpp"

namespace tsunagi::host {

/// A core's uncached loads: each a read by the core's first port, one at a time, behind the lines stored before.
class UncachedLoads {
 public:
  /// All that it is given outlives it.
  UncachedLoads(net::Device& core, flow::PacketPool& pool, const CoreConfig& c, CoreSteps& steps,
                const WriteCombining& stores)
      : core_(core), pool_(pool), config_(c), clock_(c.clock), steps_(steps), stores_(stores) {}
  /// One step: a load of `n` bytes (1 .. 8). Returns what they say.
  std::uint64_t load(Fiber& f, std::uint64_t address, Bytes n);
  /// Spins on the word of eight bytes that ends at `end` until it says what is waited for. Returns that.
  std::uint64_t poll(Fiber& f, std::uint64_t end, const PollingLoop::Until& until);
  /// A load waits for bytes.
  bool awaits_answer() const { return left_ > Bytes::zero(); }
  /// Some of them, in order: an answer comes in as many pieces as completions were made of it, which end at multiples
  /// of the read completion boundary (PCIe Base Specification 2.3.1.1). Throws std::runtime_error for more than it
  /// waits for.
  void answer(const flow::Packet& p);

 private:
  /// What a load brings.
  struct Loaded {
    std::uint64_t value = 0;
    std::uint64_t packet = 0;  // that ended it
    flow::Sight sight;         // of its newest bytes
  };
  Loaded read(CoreSteps::Program& p, std::uint64_t address, Bytes n);

  net::Device& core_;
  flow::PacketPool& pool_;
  const CoreConfig& config_;
  Clock clock_;
  CoreSteps& steps_;
  const WriteCombining& stores_;
  Bytes left_;  // that the load waits for
  Bytes came_;
  Loaded loaded_;
  Event answered_;
};

}  // namespace tsunagi::host
