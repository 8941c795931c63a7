// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "fiber/fiber.hpp"
#include "flow/packet.hpp"
#include "flow/ring.hpp"
#include "models/host/core/core_cache.hpp"
#include "models/host/core/core_steps.hpp"
#include "models/host/core_config.hpp"
#include "models/host/memory/memory.hpp"
#include "net/device.hpp"
#include "net/slot.hpp"

namespace tsunagi::host {

/// A core's write-combining buffers: stores retire into them, a line each, and each line leaves by the core's first
/// port as a posted write, many as a train where buffers are free or known to get free.
class WriteCombining final : private net::SlotOwner {
 public:
  static constexpr Bytes line{64};

  /// Bytes all of which say something, and where to.
  struct Said {
    std::uint64_t address;
    flow::ByteView bytes;
  };
  /// What is left of a store.
  struct Stores {
    std::uint64_t address;
    Bytes left;
    Bytes done;
    Bytes silent;  // what comes before those that say something:
    flow::ByteView said;
    std::uint32_t origin;
    const Memory* memory = nullptr;  // where the silent ones come from, at `source`, and say what they say there
    std::uint64_t source = 0;
  };

  /// A train has at most `max_train` lines. All that it is given outlives it.
  WriteCombining(net::Device& core, flow::PacketPool& pool, const CoreConfig& c, int max_train, CoreSteps& steps,
                 CoreCache& cache);
  /// One step: the stores.
  void store(Fiber& f, Stores s);
  /// One step: instructions that take `cycles`, and behind them the stores, one behind the other.
  void execute_and_store(Fiber& f, const char* what, std::int64_t cycles, const std::vector<Said>& all);
  /// One step: until all buffers are free, and the line that left last has been acknowledged.
  void fence(Fiber& f);
  /// When the last stored line is on the bus.
  Time flushed() const { return flushed_; }

 private:
  void slot_released(flow::FlowClass c, flow::Credits per_packet, net::Spans when, std::uint64_t packet) override;
  Time slot_now() const override { return core_.simulation().now(); }
  /// Blocks until so many buffers are free.
  void await_free(Fiber& f, int buffers);
  /// Blocks until a buffer is free and takes it.
  void take_buffer(Fiber& f);
  /// Stores the next line, or what it has of it.
  void store_line(CoreSteps::Program& program, Stores& s);
  /// Stores as many lines as there are buffers for, free or known to get free, from `t` on as one train, and moves `t`
  /// to its end; false: there is none.
  bool store_lines(CoreSteps::Program& program, Stores& s, Time& t);
  Time retiring(Bytes n) const { return clock_.cycles(units_of(n, config_.store_width) * config_.store_cycles); }
  void send_lines(const CoreSteps::Program& program, Stores& s, flow::PacketPtr p, net::Schedule when);

  net::Device& core_;
  flow::PacketPool& pool_;
  const CoreConfig& config_;
  Clock clock_;
  CoreSteps& steps_;
  CoreCache& cache_;
  int max_train_;
  int free_buffers_;
  flow::Ring<Time> releases_;  // buffers that get free later
  Event buffer_freed_;
  Time acknowledged_;  // when the last of the lines that left will have been
  Time flushed_;
};

}  // namespace tsunagi::host
