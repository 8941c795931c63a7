// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "flow/ring.hpp"
#include "models/gpu/compute.hpp"
#include "models/gpu/engine.hpp"
#include "net/device.hpp"
#include "net/slot.hpp"
#include "sim/timer.hpp"
#include "units/clock.hpp"

namespace tsunagi::gpu {

/// Runs the programs of kernels that have one.
class Programs {
 public:
  virtual ~Programs() = default;
  /// The kernel's first thread begins now; when its last one has ended somebody calls `program_ended` of the engine.
  virtual void begin(std::uint32_t program, Cause by) = 0;
};

/// All multiprocessors of a GPU: one kernel at a time, in the order of their commands. A kernel begins `launch_latency`
/// behind its command, or behind the kernel before it; it takes what `kernel_time` says; `release_cycles` later its
/// semaphore is released, by a posted write of 4 B to host memory. (Kepler runs small kernels of several streams side
/// by side, GK110 whitepaper, Hyper-Q: not modelled. How a chip launches is not published.)
class ComputeEngine final : public Engine, private net::SlotOwner {
 public:
  /// `release_cycles` of the GPU's clock. `write` sends posted writes.
  ComputeEngine(net::Device& gpu, flow::PacketPool& pool, const ComputeConfig& c, int release_cycles,
                std::function<void(net::Delivery)> write);
  void run(const Command& c, CommandOwner& owner, Cause by) override;
  bool busy() const { return !jobs_.empty(); }
  /// Who runs programs: before the first kernel that has one. It outlives this.
  void set_programs(Programs& p) { programs_ = &p; }
  /// That of the kernel that runs is over now.
  void program_ended();

 private:
  struct Job {
    KernelCommand what;
    CommandOwner* owner = nullptr;
    Cause ready;
  };
  void begin(Cause by);
  void work_over();
  void end();
  void slot_released(flow::FlowClass c, flow::Credits per_packet, net::Spans when, std::uint64_t packet) override;
  Time slot_now() const override { return gpu_.simulation().now(); }

  net::Device& gpu_;
  flow::PacketPool& pool_;
  const ComputeConfig& config_;
  Clock clock_;
  int release_cycles_;
  std::function<void(net::Delivery)> write_;
  flow::Ring<Job> jobs_;               // the first one runs
  flow::Ring<CommandOwner*> leaving_;  // whose release has not left
  std::uint64_t running_ = 0;          // as observers know it
  Programs* programs_ = nullptr;
  Time program_since_;
  bool in_program_ = false;
  sim::Timer<&ComputeEngine::work_over> work_alarm_{*this};
};

}  // namespace tsunagi::gpu
