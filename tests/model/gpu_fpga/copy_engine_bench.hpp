// SPDX-License-Identifier: Apache-2.0
// Copy engines of two GPUs at one root complex, driven by a core through push buffers in host memory. Quiet Gen2 x8
// links, no time on the buses but their flight; the engines' clock has cycles of 2 ns.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "support/bench.hpp"

namespace copy_engine_test {

using namespace tsunagi;
using namespace tsunagi::test;
using gpu::Aperture;
using gpu::CopyCommand;
using gpu::Registers;

constexpr Time cycle = 2_ns;
constexpr int fetch_cycles = 10;
constexpr int start_cycles = 25;
constexpr int release_cycles = 15;
constexpr Time port_latency = 70_ns;
constexpr Time translation = 50_ns;
constexpr Time reading_gpu = 100_ns;
constexpr Time writing_gpu = 30_ns;
constexpr Time posted = 100_ns;
constexpr Time reading = 200_ns;
constexpr Time completing = 190_ns;
constexpr Time reading_memory = 50_ns;
constexpr Time peer = 150_ns;
constexpr Time flight = 1_ns;  // of every wire
constexpr Time rung = 3_us;    // when the doorbell is stored
constexpr std::uint64_t ring = far + 0x10000;
constexpr std::uint64_t commands = far + 0x11000;
constexpr std::uint64_t semaphore = far + 0x12000;
constexpr std::uint64_t buffer = far + 0x100000;

inline Time on_wire(Bytes n) { return 250_ps * n.count(); }
inline Time edge(Time t) { return cycle * ((t + cycle - 1_fs) / cycle); }

/// Stores that leave by lines of 128 B; a burst of 1 KiB passes the unit in 16 cycles of 2 ns.
inline gpu::StoreUnitConfig line_stores() {
  gpu::StoreUnitConfig c;
  c.clock = Frequency(500'000'000);
  c.width = 64_B;
  c.line = 128_B;
  c.burst = 1_KiB;
  c.queue = 8_KiB;
  c.block_rate = Rate::infinite();
  return c;
}

struct CopyBench : Bench {
  gpu::GpuConfig config;
  std::uint64_t shift = 0;     // of the commands
  std::function<void()> more;  // what else the machine has

  CopyBench() {
    config.memory_size = 1_GiB;
    config.port_latency = port_latency;
    config.translation_latency = translation;
    config.read_latency = reading_gpu;
    config.write_latency = writing_gpu;
    config.record = true;
    config.copy_engines.clock = Frequency(500'000'000);
    config.copy_engines.fetch_cycles = fetch_cycles;
    config.copy_engines.start_cycles = start_cycles;
    config.copy_engines.release_cycles = release_cycles;
  }

  void build(int max_train = 1) {
    host::CoreConfig core;
    core.clock = Frequency(2'500'000'000);
    core.write_combining_buffers = 64;
    host::MemoryConfig memory;
    memory.read_latency = reading_memory;
    memory.record = true;
    host::RootComplexConfig rc;
    rc.posted_latency = posted;
    rc.read_latency = reading;
    rc.completion_latency = completing;
    rc.peer.latency = peer;
    host::OnChipConfig bus;
    bus.bandwidth = Rate::infinite();
    bus.flight = flight;
    for (int i = 0; i < 2; ++i) {
      const std::string n = std::to_string(i);
      gpu::GpuConfig c = config;
      c.bar_base = 256_GiB + 1_GiB * i;
      rc.slots.push_back({"slot" + n, c.bar_base, c.bar_size + c.register_size});
      device("gpu" + n, c);
    }
    device("core", core);
    device("rc", rc);
    device("memory", memory);
    wire("core.bus", "rc.core0", bus);
    wire("rc.memory", "memory.bus", bus);
    wire("rc.slot0", "gpu0.pcie", quiet(gen2_x8()));
    wire("rc.slot1", "gpu1.pcie", quiet(gen2_x8()));
    if (more) more();
    Bench::build(max_train);
  }

  gpu::Gpu& gpu(int i) { return machine().get<gpu::Gpu>("gpu" + std::to_string(i)); }
  host::Memory& memory() { return machine().get<host::Memory>("memory"); }
  host::Core& core() { return machine().get<host::Core>("core"); }

  /// One of the core's programs.
  void program(const std::string& name, std::function<void(Fiber&)> f) {
    core().add_program();
    Bench::program(name, std::move(f));
  }
  /// Writes commands and ring of a channel, each on a page of its own, and rings for all of them at `rung`.
  void run_commands(int of_gpu, int engine, std::vector<gpu::Command> all) {
    prepare_commands(of_gpu, engine, std::move(all), true);
  }
  /// The same without the doorbell, if not `run`.
  void prepare_commands(int of_gpu, int engine, std::vector<gpu::Command> all, bool run = false) {
    program("driver " + std::to_string(2 * of_gpu + engine),
            [this, of_gpu, engine, all = std::move(all), run](Fiber& f) {
              const std::uint64_t page = 0x4000 * static_cast<std::uint64_t>(2 * of_gpu + engine);
              const auto set = [&](std::uint64_t reg, std::uint64_t value) {
                core().store(f, gpu(of_gpu).register_address(Registers::of_channel(engine) + reg), 8_B, value, 0);
              };
              for (std::size_t c = 0; c < all.size(); ++c) {
                const gpu::CommandWords words = std::visit([](const auto& what) { return encode(what); }, all[c]);
                const std::uint64_t at = commands + page + shift + 64 * c;
                for (std::size_t i = 0; i < words.size(); ++i) core().store(f, at + 8 * i, 8_B, words[i], 0);
                core().store(f, ring + page + 8 * c, 8_B, encode(gpu::RingEntry{at, CopyCommand::size}), 0);
              }
              set(Registers::ring, ring + page);
              set(Registers::entries, 16);
              f.wait_until(rung);
              if (run) set(Registers::put, all.size());
            });
  }

  /// When the 4 B that end at `end` of host memory got to say `value`.
  Time said(std::uint64_t end, std::uint64_t value) {
    CHECK(memory().word_ending_at(end, 4_B).value == value);
    return memory().word_ending_at(end, 4_B).since;
  }
};

inline CopyCommand copy(Aperture from, std::uint64_t source, Aperture to, std::uint64_t destination, Bytes n) {
  CopyCommand c;
  c.from = from;
  c.source = source;
  c.to = to;
  c.destination = destination;
  c.length = n;
  c.semaphore = semaphore;
  c.payload = 7;
  return c;
}

/// From a read request that is ready at the engine until its only completion is there.
inline Time round_trip(Bytes n) {
  return port_latency + on_wire(24_B) + flight + reading + flight + reading_memory + flight + completing +
         on_wire(n + 20_B) + flight + port_latency;
}
/// When the first command can begin.
inline Time begins() {
  const Time doorbell = rung + 400_ps + 80_ns + flight + posted + on_wire(32_B) + flight + port_latency;
  const Time entry = edge(doorbell) + cycle * fetch_cycles + round_trip(8_B);
  const Time command = edge(entry) + cycle * fetch_cycles + round_trip(64_B);
  return edge(command) + cycle * start_cycles;
}
/// From a write that is ready at the engine until it is in host memory.
inline Time to_memory(Bytes n) { return port_latency + on_wire(n + 24_B) + flight + posted + flight; }
/// When the semaphore says so, behind the last byte.
inline Time released(Time last) { return edge(last) + cycle * release_cycles + to_memory(4_B); }

inline std::vector<host::Extent> from(const std::vector<host::Extent>& all, std::uint64_t address, Bytes n) {
  std::vector<host::Extent> out;
  for (const host::Extent& e : all)
    if (e.address - address < static_cast<std::uint64_t>(n.count())) out.push_back(e);
  return out;
}

/// Every byte once, each from the byte of the source that it belongs to.
inline void expect_copied(std::vector<host::Extent> extents, std::uint64_t destination, std::uint64_t source, Bytes n) {
  std::sort(extents.begin(), extents.end(), [](const auto& a, const auto& b) { return a.address < b.address; });
  std::uint64_t at = 0;
  for (const host::Extent& e : extents) {
    CHECK(e.address == destination + at);
    CHECK(e.origin_offset == source + at);
    at += static_cast<std::uint64_t>(e.length.count());
  }
  CHECK(at == static_cast<std::uint64_t>(n.count()));
}

}  // namespace copy_engine_test
