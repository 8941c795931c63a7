// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "comm/fiber.hpp"
#include "config/describe.hpp"
#include "models/gpu/gpu.hpp"
#include "models/host/core.hpp"
#include "models/host/memory/memory.hpp"
#include "models/libraries/memory_plan.hpp"

namespace tsunagi::libraries {

struct CudaDriverConfig {
  std::int64_t call_cycles = 6500;
  std::int64_t push_cycles = 1300;
  std::int64_t finish_cycles = 2600;
  Bytes chunk = 1_MiB;
};
void describe(CudaDriverConfig& c, config::Describer& d);

/// A process's CUDA driver: hands copies to the GPUs' engines through push buffers in host memory, and waits for their
/// semaphores there. A blocking copy is `call`, one or more `start`, `wait` for them, `finish`. What the code in
/// between costs is instructions; every access to memory and registers is one of the core.
class CudaDriver {
 public:
  /// `area` of `memory` is its own. `memory` and `core` belong to one process.
  CudaDriver(const CudaDriverConfig& c, host::Core& core, host::Memory& memory, const Area& area,
             const std::vector<gpu::Gpu*>& gpus);

  /// What to give it: room for 64 engines.
  static constexpr Bytes area_size = 256_KiB;
  /// A copy that has been started.
  struct Started {
    std::size_t channel = 0;
    std::uint64_t number = 0;
  };

  /// Enters a call that copies: checks, look-up of addresses, locks.
  void call(comm::Fiber& f);
  /// Hands a copy to an engine of `gpu`: the first for copies out of its memory, the last for copies into it.
  Started start(comm::Fiber& f, const gpu::Gpu& gpu, gpu::CopyCommand what);
  /// Polls the copy's semaphore.
  void wait(comm::Fiber& f, const Started& copy);
  /// Whether the semaphore says that it is over, and since when; without time, what a query costs is the caller's.
  bool over(const Started& copy) const;
  Time over_since(const Started& copy) const;
  /// Leaves the call.
  void finish(comm::Fiber& f);

  const CudaDriverConfig& config() const { return config_; }

 private:
  /// A ring, a push buffer and a semaphore, for one engine.
  struct Channel {
    gpu::Gpu* gpu = nullptr;
    int engine = 0;
    std::uint64_t base = 0;
    bool set_up = false;
    std::uint64_t pushed = 0;
    std::uint64_t done = 0;  // at least
  };
  std::size_t channel_of(const gpu::Gpu& gpu, bool out) const;
  host::Word& semaphore(const Started& copy) const;
  void set(comm::Fiber& f, const Channel& c, std::uint64_t reg, std::uint64_t value);

  CudaDriverConfig config_;
  host::Core& core_;
  host::Memory& memory_;
  std::vector<Channel> channels_;
};

}  // namespace tsunagi::libraries
