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
  cycles("launch_cycles", c.launch_cycles,
         "core cycles to launch a kernel, beside those to build its command (assumed 3900 to 6500: 2 to 3 us of CPU in "
         "all, recalled)");
  cycles(
      "record_cycles", c.record_cycles,
      "core cycles to record an event, or to have a stream wait for one (assumed 2600 to 5200: 1 to 2 us, recalled)");
  d.field("query_cycles", c.query_cycles,
          "core cycles to ask whether an event is over (assumed 1300 to 5200: 0.5 to 2 us, recalled)",
          within(std::int64_t{1}, most), ideal(std::int64_t{1}));
  d.field(
      "chunk", c.chunk,
      "a copy by way of host memory takes two buffers of this size in turn (assumed 64 KiB to 4 MiB: CUDA Handbook, "
      "peer2peerMemcpy.cu)",
      within(4_KiB, 64_MiB));
  d.field("hand_over", c.hand_over,
          "of such a copy, from the end of one half of a chunk until the other GPU, whose channel waits for that, goes "
          "on (none: the thread polls and pushes)",
          at_most(100_us), ideal(0_ns));
}

CudaDriver::CudaDriver(const CudaDriverConfig& c, host::Core& core, host::Memory& memory, const process::Area& area,
                       const std::vector<gpu::Gpu*>& gpus)
    : config_(c), core_(core), memory_(memory), area_(area), gpus_(gpus) {
  for (gpu::Gpu* g : gpus)
    for (int e = 0; e < g->config().copy_engines.count; ++e) {
      if (channel_size * static_cast<std::int64_t>(channels_.size() + 1) > area.size)
        throw config::error_at("/machine", "more copy engines than the CUDA driver has room for: " +
                                               std::to_string(area.size / channel_size));
      channels_.push_back({g, e, area.base + unsigned_of(channel_size) * channels_.size()});
    }
}

std::size_t CudaDriver::channel_of(const gpu::Gpu& gpu, int number) const {
  const auto at = std::find_if(channels_.begin(), channels_.end(),
                               [&](const Channel& c) { return c.gpu == &gpu && c.number == number; });
  return static_cast<std::size_t>(at - channels_.begin());
}

std::size_t CudaDriver::stream_of(const gpu::Gpu& gpu, int stream) {
  if (stream < 0 || stream >= gpu.config().streams)
    throw std::runtime_error(gpu.name() + " has no stream " + std::to_string(stream) + ", but " +
                             std::to_string(gpu.config().streams));
  const int number = gpu.config().copy_engines.count + stream;
  const std::size_t known = channel_of(gpu, number);
  if (known < channels_.size()) return known;
  const auto same = std::find(gpus_.begin(), gpus_.end(), &gpu);
  if (same == gpus_.end()) throw std::logic_error(gpu.name() + " is none of the driver's GPUs");
  if (channel_size * static_cast<std::int64_t>(known + 1) > area_.size)
    throw std::runtime_error("more copy engines and streams than the CUDA driver has room for: " +
                             std::to_string(area_.size / channel_size));
  channels_.push_back({*same, number, area_.base + unsigned_of(channel_size) * known});
  return known;
}

void CudaDriver::set(Fiber& f, const Channel& c, std::uint64_t reg, std::uint64_t value) {
  core_.store(f, c.gpu->register_address(gpu::Registers::of_channel(c.number) + reg), 8_B, value, 0);
}

void CudaDriver::set_up(Fiber& f, Channel& c) {
  const bool known = std::any_of(channels_.begin(), channels_.end(),
                                 [&](const Channel& other) { return other.gpu == c.gpu && other.set_up; });
  if (!known && !c.gpu->claim())
    throw std::runtime_error("the copy engines of " + c.gpu->name() + " are another library's already");
  c.set_up = true;
  set(f, c, gpu::Registers::ring, c.base);
  set(f, c, gpu::Registers::entries, entries);
}

void CudaDriver::call(Fiber& f) { core_.execute(f, "CUDA: enter the call", config_.call_cycles); }

void CudaDriver::finish(Fiber& f) { core_.execute(f, "CUDA: leave the call", config_.finish_cycles); }

template <class C>
CudaDriver::Started CudaDriver::push(Fiber& f, std::size_t number, C what) {
  if (!channels_[number].set_up) set_up(f, channels_[number]);
  // A ring that is full looks empty.
  const std::uint64_t pushed = channels_[number].pushed;
  if (pushed - channels_[number].done + 1 == entries) wait(f, {number, pushed - entries + 2});
  core_.execute(f, "CUDA: build the command", config_.push_cycles);
  Channel& c = channels_[number];
  const std::uint64_t slot = c.pushed % entries;
  const std::uint64_t command = c.base + commands_at + unsigned_of(CopyCommand::size) * slot;
  ++c.pushed;
  what.semaphore = c.base + semaphore_at;
  what.payload = static_cast<std::uint32_t>(c.pushed);
  const std::uint64_t entry = c.base + unsigned_of(RingEntry::size) * slot;
  const std::uint64_t put = c.pushed % entries;
  const Started out{number, c.pushed};
  const gpu::CommandWords words = gpu::encode(what);
  for (std::size_t i = 0; i < words.size(); ++i) core_.store(f, command + 8 * i, 8_B, words[i], 0);
  core_.store(f, entry, 8_B, gpu::encode(RingEntry{command, CopyCommand::size}), 0);
  set(f, channels_[number], gpu::Registers::put, put);
  return out;
}

std::size_t CudaDriver::engine_of(const gpu::Gpu& gpu, const CopyCommand& what) const {
  const int engine = what.from == gpu::Aperture::local ? 0 : gpu.config().copy_engines.count - 1;
  const std::size_t channel = channel_of(gpu, engine);
  if (channel == channels_.size()) throw std::logic_error(gpu.name() + " has no copy engine that the driver knows");
  return channel;
}

CudaDriver::Started CudaDriver::start(Fiber& f, const gpu::Gpu& gpu, CopyCommand what) {
  const std::size_t engine = engine_of(gpu, what);
  follow_default(f, engine);
  return push(f, engine, what);
}

CudaDriver::Started CudaDriver::start_by_default(Fiber& f, const gpu::Gpu& gpu, const CopyCommand& what) {
  const std::size_t engine = engine_of(gpu, what);
  follow_default(f, engine);
  for (std::size_t i = 0; i < channels_.size(); ++i)
    if (channels_[i].gpu == &gpu && is_stream(channels_[i])) follow(f, engine, {i, channels_[i].pushed});
  const Started out = push(f, engine, what);
  channels_[engine].by_default = out.number;
  return out;
}

void CudaDriver::follow(Fiber& f, std::size_t channel, const Started& event) {
  std::uint64_t& known = channels_[channel].follows[event.channel];
  if (event.number <= known || over(event)) return;
  known = event.number;
  push(f, channel, gpu::WaitCommand{static_cast<std::uint32_t>(channels_[event.channel].number), event.number});
}

template <class C>
CudaDriver::Started CudaDriver::push_in_stream(Fiber& f, std::size_t channel, C what) {
  follow_default(f, channel);
  return push(f, channel, what);
}

void CudaDriver::follow_default(Fiber& f, std::size_t channel) {
  for (std::size_t i = 0; i < channels_.size(); ++i)
    if (i != channel && channels_[i].gpu == channels_[channel].gpu && !is_stream(channels_[i]))
      follow(f, channel, {i, channels_[i].by_default});
}

void CudaDriver::compute(Fiber& f, const gpu::Gpu& gpu, const Work& work) {
  wait(f, launch(f, gpu, 0, work));
  finish(f);
}

CudaDriver::Started CudaDriver::launch(Fiber& f, const gpu::Gpu& gpu, int stream, const Work& work,
                                       std::uint32_t program) {
  const std::size_t channel = stream_of(gpu, stream);
  core_.execute(f, "CUDA: launch a kernel", config_.launch_cycles);
  gpu::KernelCommand kernel{work};
  kernel.program = program;
  return push_in_stream(f, channel, kernel);
}

void CudaDriver::copy(Fiber& f, const gpu::Gpu& gpu, int stream, CopyCommand what) {
  const std::size_t channel = stream_of(gpu, stream);
  call(f);
  push_in_stream(f, channel, what);
}

void CudaDriver::record_event(Fiber& f) { core_.execute(f, "cudaEventRecord", config_.record_cycles); }

CudaDriver::Started CudaDriver::record(Fiber& f, const gpu::Gpu& gpu, int stream) {
  const std::size_t channel = stream_of(gpu, stream);
  record_event(f);
  follow_default(f, channel);
  return {channel, channels_[channel].pushed};
}

void CudaDriver::wait_for(Fiber& f, const gpu::Gpu& gpu, int stream, const Started& event) {
  const std::size_t channel = stream_of(gpu, stream);
  const Channel& other = channels_[event.channel];
  if (other.gpu != channels_[channel].gpu)
    throw std::runtime_error("a stream of " + gpu.name() + " waits for an event of " + other.gpu->name());
  core_.execute(f, "cudaStreamWaitEvent", config_.record_cycles);
  follow_default(f, channel);
  if (event.channel == channel || event.number == 0) return;
  push(f, channel, gpu::WaitCommand{static_cast<std::uint32_t>(channels_[event.channel].number), event.number});
}

bool CudaDriver::query(Fiber& f, const Started& event) {
  core_.execute(f, "cudaEventQuery", config_.query_cycles);
  return over(event);
}

void CudaDriver::wait(Fiber& f, const Started& copy) {
  if (copy.number == 0) return;
  const std::uint64_t base = channels_[copy.channel].base;
  core_.poll(f, memory_, base + semaphore_at + unsigned_of(semaphore_size), semaphore_size,
             [&](std::uint64_t said) { return said >= copy.number; });
  Channel& c = channels_[copy.channel];
  c.done = std::max(c.done, copy.number);
}

host::Word& CudaDriver::semaphore(const Started& copy) const {
  return memory_.word_ending_at(channels_[copy.channel].base + semaphore_at + unsigned_of(semaphore_size),
                                semaphore_size);
}

bool CudaDriver::over(const Started& copy) const { return copy.number == 0 || semaphore(copy).value >= copy.number; }

Time CudaDriver::over_since(const Started& copy) const { return semaphore(copy).since; }

}  // namespace tsunagi::libraries
