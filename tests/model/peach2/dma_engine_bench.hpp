// SPDX-License-Identifier: Apache-2.0
// A card with a DMA engine in a host's slot: a quiet Gen2 x8 link (250 ps a byte), no time on the bus but its flight.
// The engine's clock has cycles of 2 ns unless a test says otherwise.
#pragma once

#include "support/bench.hpp"

namespace dma_engine_test {

using namespace tsunagi;
using namespace tsunagi::test;
using bench::DmaEngine;
using bench::EngineMethod;

constexpr Time cycle = 2_ns;
constexpr int start_cycles = 30;
constexpr int end_cycles = 20;
constexpr Time port_latency = 70_ns;
constexpr Time reading = 200_ns;
constexpr Time completing = 190_ns;
constexpr Time posted = 100_ns;
constexpr Time reading_memory = 50_ns;
constexpr Time flight = 1_ns;  // of every wire

inline Time on_wire(Bytes n) { return 250_ps * n.count(); }
inline Time edge(Time t) { return cycle * ((t + cycle - 1_fs) / cycle); }
/// From a read of one completion at the engine, which begins on an edge, to its last byte there.
inline Time round_trip(Bytes n) {
  return port_latency + on_wire(24_B) + flight + reading + flight + reading_memory + flight + completing +
         on_wire(n + 20_B) + flight + port_latency;
}

struct EngineBench : Bench {
  bench::ExerciserConfig config;

  explicit EngineBench(sim::Kernel kernel = sim::Kernel::own) : Bench(kernel) {
    config.port_latency = port_latency;
    config.engine.clock = Frequency(500'000'000);
    config.engine.workers = 4;
    config.engine.start_cycles = start_cycles;
    config.engine.end_cycles = end_cycles;
    config.engine.tags = 8;
    config.engine.max_read_request = 256_B;
  }

  void build(int max_train = 1) {
    host::RootComplexConfig rc;
    rc.read_latency = reading;
    rc.completion_latency = completing;
    rc.posted_latency = posted;
    rc.slots = {{"slot0", 512_GiB, 4_KiB}};
    host::MemoryConfig memory;
    memory.read_latency = reading_memory;
    memory.record = true;
    host::OnChipConfig bus;
    bus.bandwidth = Rate::infinite();
    bus.flight = flight;
    device("card", config);
    device("rc", rc);
    device("memory", memory);
    wire("card.link", "rc.slot0", quiet(gen2_x8()));
    wire("rc.memory", "memory.bus", bus);
    Bench::build(max_train);
  }
  /// To the end of all programs.
  void run() {
    Bench::run();
    CHECK(sim().unfinished().empty());
  }
  DmaEngine& engine() { return *machine().get<bench::Exerciser>("card").engine(); }
};

/// Does an operation and says when firmware sees its end.
inline Time done(Fiber& f, DmaEngine& e, const DmaEngine::Transfer& t, EngineMethod by = EngineMethod::dma) {
  e.start(f, t, by).wait(f, comm::Milestone::completed);
  return f.now();
}

}  // namespace dma_engine_test
