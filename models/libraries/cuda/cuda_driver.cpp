// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/cuda/cuda_driver.hpp"

#include <algorithm>
#include <stdexcept>

#include "config/error_at.hpp"

namespace tsunagi::libraries {

using gpu::CopyCommand;
using gpu::RingEntry;

namespace {

// A channel's page: ring, semaphore, push buffer.
constexpr Bytes channel_size = 4_KiB;
constexpr std::uint64_t entries = 32;
constexpr std::uint64_t semaphore_at = 0x200;
constexpr std::uint64_t commands_at = 0x800;
static_assert(entries * 8 <= semaphore_at && commands_at + entries * 64 <= 4096);
constexpr Bytes semaphore_size{4};

}  // namespace

void describe(CudaDriverConfig& c, config::Describer& d) {
  using namespace config;
  constexpr std::int64_t most = 1'000'000;
  const auto cycles = [&](const char* name, std::int64_t& value, const char* doc) {
    d.field(name, value, doc, within(std::int64_t{0}, most), ideal(std::int64_t{0}));
  };
  cycles("call_cycles", c.call_cycles,
         "core cycles of a call that copies until it builds its first command: checks, address look-up, locks (assumed "
         "2600 to 10400: the 6 to 7 us that NVIDIA's gdrcopy tells of a cudaMemcpy, less the way over the bus)");
  cycles("push_cycles", c.push_cycles,
         "core cycles to build one command of a push buffer, beside the stores (assumed 520 to 2600: as call_cycles)");
  cycles("finish_cycles", c.finish_cycles,
         "core cycles from the semaphore seen to the return of the call (assumed 520 to 5200: as call_cycles)");
  d.field(
      "chunk", c.chunk,
      "a copy by way of host memory takes two buffers of this size in turn (assumed 64 KiB to 4 MiB: CUDA Handbook, "
      "peer2peerMemcpy.cu)",
      within(4_KiB, 64_MiB));
}

CudaDriver::CudaDriver(const CudaDriverConfig& c, host::Core& core, host::Memory& memory, const Area& area,
                       const std::vector<gpu::Gpu*>& gpus)
    : config_(c), core_(core), memory_(memory) {
  for (gpu::Gpu* g : gpus)
    for (int e = 0; e < g->config().copy_engines.count; ++e) {
      if (channel_size * static_cast<std::int64_t>(channels_.size() + 1) > area.size)
        throw config::error_at("/machine", "more copy engines than the CUDA driver has room for: " +
                                               std::to_string(area.size / channel_size));
      channels_.push_back({g, e, area.base + unsigned_of(channel_size) * channels_.size(), false, 0, 0});
    }
}

std::size_t CudaDriver::channel_of(const gpu::Gpu& gpu, bool out) const {
  const int engine = out ? 0 : gpu.config().copy_engines.count - 1;
  for (std::size_t i = 0; i < channels_.size(); ++i)
    if (channels_[i].gpu == &gpu && channels_[i].engine == engine) return i;
  throw std::logic_error(gpu.name() + " has no copy engine that the driver knows");
}

void CudaDriver::set(comm::Fiber& f, const Channel& c, std::uint64_t reg, std::uint64_t value) {
  core_.store(f, c.gpu->register_address(gpu::Registers::of_engine(c.engine) + reg), 8_B, value, 0);
}

void CudaDriver::call(comm::Fiber& f) { core_.execute(f, "CUDA: enter the call", config_.call_cycles); }

void CudaDriver::finish(comm::Fiber& f) { core_.execute(f, "CUDA: leave the call", config_.finish_cycles); }

CudaDriver::Started CudaDriver::start(comm::Fiber& f, const gpu::Gpu& gpu, CopyCommand what) {
  const std::size_t number = channel_of(gpu, what.from == gpu::Aperture::local);
  Channel& c = channels_[number];
  if (!c.set_up) {
    const bool known = std::any_of(channels_.begin(), channels_.end(),
                                   [&](const Channel& other) { return other.gpu == c.gpu && other.set_up; });
    if (!known && !c.gpu->claim())
      throw std::runtime_error("the copy engines of " + c.gpu->name() + " are another library's already");
    set(f, c, gpu::Registers::ring, c.base);
    set(f, c, gpu::Registers::entries, entries);
    c.set_up = true;
  }
  // A ring that is full looks empty.
  if (c.pushed - c.done + 1 == entries) wait(f, {number, c.pushed - entries + 2});
  core_.execute(f, "CUDA: build the command", config_.push_cycles);
  const std::uint64_t slot = c.pushed % entries;
  const std::uint64_t command = c.base + commands_at + unsigned_of(CopyCommand::size) * slot;
  ++c.pushed;
  what.semaphore = c.base + semaphore_at;
  what.payload = static_cast<std::uint32_t>(c.pushed);
  const gpu::CommandWords words = gpu::encode(what);
  for (std::size_t i = 0; i < words.size(); ++i) core_.store(f, command + 8 * i, 8_B, words[i], 0);
  core_.store(f, c.base + unsigned_of(RingEntry::size) * slot, 8_B, gpu::encode({command, CopyCommand::size}), 0);
  set(f, c, gpu::Registers::put, c.pushed % entries);
  return {number, c.pushed};
}

void CudaDriver::wait(comm::Fiber& f, const Started& copy) {
  Channel& c = channels_[copy.channel];
  core_.poll(f, memory_, c.base + semaphore_at + unsigned_of(semaphore_size), semaphore_size,
             [&](std::uint64_t said) { return said >= copy.number; });
  c.done = std::max(c.done, copy.number);
}

host::Word& CudaDriver::semaphore(const Started& copy) const {
  return memory_.word_ending_at(channels_[copy.channel].base + semaphore_at + unsigned_of(semaphore_size),
                                semaphore_size);
}

bool CudaDriver::over(const Started& copy) const { return semaphore(copy).value >= copy.number; }

Time CudaDriver::over_since(const Started& copy) const { return semaphore(copy).since; }

}  // namespace tsunagi::libraries
