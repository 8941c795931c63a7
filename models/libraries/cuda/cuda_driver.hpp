// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "config/describe.hpp"
#include "fiber/fiber.hpp"
#include "models/gpu/gpu.hpp"
#include "models/host/core.hpp"
#include "models/host/memory/memory.hpp"
#include "models/process/memory_plan.hpp"

namespace tsunagi::libraries {

struct CudaDriverConfig {
  std::int64_t call_cycles = 6500;
  std::int64_t push_cycles = 1300;
  std::int64_t finish_cycles = 2600;
  std::int64_t launch_cycles = 5200;
  std::int64_t record_cycles = 3900;
  std::int64_t query_cycles = 2600;
  Bytes chunk = 1_MiB;
  Time hand_over;
};
void describe(CudaDriverConfig& c, config::Describer& d);

/// A process's CUDA driver: hands copies to the GPUs' engines through push buffers in host memory, and waits for their
/// semaphores there. A blocking copy is `call`, one or more `start`, `wait` for them, `finish`. What the code in
/// between costs is instructions; every access to memory and registers is one of the core.
class CudaDriver {
 public:
  /// `area` of `memory` is its own. `memory` and `core` belong to one process.
  CudaDriver(const CudaDriverConfig& c, host::Core& core, host::Memory& memory, const process::Area& area,
             const std::vector<gpu::Gpu*>& gpus);

  /// What to give it: room for 64 engines and streams.
  static constexpr Bytes area_size = 256_KiB;
  /// A copy that has been started, or all that a stream had been given by then: what an event says.
  struct Started {
    std::size_t channel = 0;
    std::uint64_t number = 0;
  };

  /// Enters a call that copies: checks, look-up of addresses, locks.
  void call(Fiber& f);
  /// Hands a copy to an engine of `gpu`: the first for copies out of its memory, the last for copies into it. It begins
  /// behind what the default stream was given before.
  Started start(Fiber& f, const gpu::Gpu& gpu, gpu::CopyCommand what);
  /// The same in the default stream, where cudaMemcpy copies: it begins when all that the GPU's streams have been given
  /// is over, and what they are given from now on begins behind it (CUDA Runtime API, "Stream synchronization
  /// behavior", legacy default stream; streams made by cudaStreamCreate are such).
  Started start_by_default(Fiber& f, const gpu::Gpu& gpu, const gpu::CopyCommand& what);
  /// Polls the copy's semaphore.
  void wait(Fiber& f, const Started& copy);
  /// Whether the semaphore says that it is over, and since when; without time, what a query costs is the caller's.
  bool over(const Started& copy) const;
  Time over_since(const Started& copy) const;
  /// Until what another GPU was given to do behind that copy, which is over, goes on.
  void hand_over(Fiber& f, const Started& copy) { f.wait_until(over_since(copy) + config_.hand_over); }
  /// Leaves the call.
  void finish(Fiber& f);

  // Streams of a GPU, by number: calls that wait for nothing but room in the ring. Throw std::runtime_error if there is
  // no such stream, or no room for another one in the driver's area.
  /// A kernel is launched in the first stream, and waited for.
  void compute(Fiber& f, const gpu::Gpu& gpu, const Work& work);
  /// Launches a kernel, whose end `over` and `over_since` tell; one of that program, if it is not 0.
  Started launch(Fiber& f, const gpu::Gpu& gpu, int stream, const Work& work, std::uint32_t program = 0);
  /// Has a copy done there (cudaMemcpyAsync).
  void copy(Fiber& f, const gpu::Gpu& gpu, int stream, gpu::CopyCommand what);
  /// What recording an event costs, whatever it is of.
  void record_event(Fiber& f);
  /// What `wait`, `query` and other streams may wait for: all that the stream has been given so far.
  Started record(Fiber& f, const gpu::Gpu& gpu, int stream);
  /// What the stream is given from now on begins when the event, of the same GPU, is over.
  void wait_for(Fiber& f, const gpu::Gpu& gpu, int stream, const Started& event);
  /// Whether it is over.
  bool query(Fiber& f, const Started& event);

  const CudaDriverConfig& config() const { return config_; }

 private:
  /// A ring, a push buffer and a semaphore, for one channel of a GPU.
  struct Channel {
    gpu::Gpu* gpu = nullptr;
    int number = 0;  // the GPU's
    std::uint64_t base = 0;
    bool set_up = false;
    std::uint64_t pushed = 0;
    std::uint64_t done = 0;        // at least
    std::uint64_t by_default = 0;  // of an engine's: the last command that the default stream was given
    std::map<std::size_t, std::uint64_t> follows = {};  // how many commands of other channels it waits for
  };
  bool is_stream(const Channel& c) const { return c.number >= c.gpu->config().copy_engines.count; }
  /// What the channel is given from now on begins when what the GPU's default stream was given is over; when the event
  /// is.
  void follow_default(Fiber& f, std::size_t channel);
  void follow(Fiber& f, std::size_t channel, const Started& event);
  std::size_t engine_of(const gpu::Gpu& gpu, const gpu::CopyCommand& what) const;
  template <class C>
  Started push_in_stream(Fiber& f, std::size_t channel, C what);
  std::size_t channel_of(const gpu::Gpu& gpu, int number) const;
  /// The channel of a stream, which gets one when it is first used.
  std::size_t stream_of(const gpu::Gpu& gpu, int stream);
  template <class C>
  Started push(Fiber& f, std::size_t channel, C what);
  void set_up(Fiber& f, Channel& c);
  host::Word& semaphore(const Started& copy) const;
  void set(Fiber& f, const Channel& c, std::uint64_t reg, std::uint64_t value);

  CudaDriverConfig config_;
  host::Core& core_;
  host::Memory& memory_;
  process::Area area_;
  std::vector<gpu::Gpu*> gpus_;
  std::deque<Channel> channels_;  // grows while others are in use
};

}  // namespace tsunagi::libraries
