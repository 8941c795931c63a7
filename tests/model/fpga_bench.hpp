// SPDX-License-Identifier: Apache-2.0
// An FPGA card whose cycles are 4 ns, on a quiet Gen2 x8 link (0.25 ns a byte), with a probe or a root complex with
// memory at its other end.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "support/bench.hpp"

namespace fpga_test {

using namespace tsunagi;
using namespace tsunagi::test;
using fpga::Completion;
using fpga::Descriptor;
using fpga::Direction;
using fpga::Registers;
using fpga::Writer;

constexpr Time cycle = 4_ns;
// In cycles: a kernel's descriptor crosses into the controller's clock and is handed over; then it is loaded, and the
// card's memory read.
constexpr int until_written = 3 + 4;
constexpr int write_start = 10 + 40;
constexpr Time transmit = 160_ns;
constexpr Time receive = 170_ns;
constexpr Time flight = 1_ns;
constexpr Time reading = 200_ns;
constexpr Time completing = 190_ns;
constexpr Time memory_latency = 50_ns;
constexpr std::uint64_t host_buffer = far + 0x100000;
constexpr std::uint64_t host_table = far + 0x10000;

inline Time on_wire(Bytes n) { return 250_ps * n.count(); }
inline Time edge(Time t) { return cycle * ((t + cycle - 1_fs) / cycle); }

inline fpga::FpgaConfig some_card() {
  fpga::FpgaConfig c;
  c.kernel_clock = Frequency(250'000'000);
  c.transmit_latency = transmit;
  c.receive_latency = receive;
  c.memory_size = 64_MiB;
  c.record = true;
  return c;
}

struct FpgaBench : Bench {
  fpga::FpgaConfig config = some_card();
  Bytes completion_size{256};  // of the root complex

  void build_with_probe(int max_train = 1, pcie::LinkConfig link = gen2_x8()) {
    device("bus", port("link"));
    device("fpga", config);
    wire("bus.link", "fpga.pcie", quiet(link));
    Bench::build(max_train);
  }
  /// Host memory behind a root complex, and a core.
  void build_with_host(int max_train = 1, pcie::LinkConfig link = gen2_x8()) {
    host::MemoryConfig memory;
    memory.read_latency = memory_latency;
    memory.record = true;
    host::RootComplexConfig rc;
    rc.posted_latency = 100_ns;
    rc.read_latency = reading;
    rc.completion_latency = completing;
    rc.completion_size = completion_size;
    rc.slots.push_back(
        {"slot", config.bar_base, Bytes(static_cast<std::int64_t>(Registers::end)) + config.window_size});
    host::OnChipConfig bus;
    bus.bandwidth = Rate::infinite();
    bus.flight = flight;
    device("core", host::CoreConfig{});
    device("rc", rc);
    device("memory", memory);
    device("fpga", config);
    wire("core.bus", "rc.core0", bus);
    wire("rc.memory", "memory.bus", bus);
    wire("rc.slot", "fpga.pcie", quiet(link));
    Bench::build(max_train);
  }
  fpga::Fpga& card() { return machine().get<fpga::Fpga>("fpga"); }
  host::Memory& memory() { return machine().get<host::Memory>("memory"); }
  /// A kernel that runs one descriptor.
  Completion run_one(Direction way, const Descriptor& d) {
    Completion done;
    program("kernel", [&](comm::Fiber& f) {
      card().write_descriptor(f, way, encode(d, Writer::kernel));
      done = card().read_status(f, way);
    });
    Bench::run();
    return done;
  }
};

}  // namespace fpga_test
