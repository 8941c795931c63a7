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

/// Address translation that knows nothing yet and takes long.
inline host::IommuConfig slow_walks() {
  host::IommuConfig c;
  c.entries = 64;
  c.walk_reads = 4;
  c.walk_read_latency = 1_us;
  return c;
}

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
  // Of the root complex.
  Bytes completion_size{256};
  host::IommuConfig iommu;

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
    rc.iommu = iommu;
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
    program("kernel", [&](Fiber& f) {
      card().write_descriptor(f, way, encode(d, Writer::kernel));
      done = card().read_status(f, way);
    });
    Bench::run();
    return done;
  }
};

/// What a host's driver does: descriptors into a table, then the two registers.
inline void run_table(FpgaBench& b, Fiber& f, Direction way, const std::vector<Descriptor>& all) {
  auto& core = b.machine().get<host::Core>("core");
  const std::uint64_t table = host_table + 0x2000 * static_cast<std::uint64_t>(way);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const fpga::DescriptorWords words = encode(all[i], Writer::host);
    for (std::size_t k = 0; k < words.size(); k += 2)
      core.store(f, table + Registers::of_descriptor(static_cast<int>(i)) + 4 * k, 8_B,
                 words[k] | std::uint64_t{words[k + 1]} << 32, 0);
  }
  const std::uint64_t block = static_cast<std::uint64_t>(way) * Registers::block;
  core.store(f, b.card().register_address(block + Registers::table), 8_B, table, 0);
  core.store(f, b.card().register_address(block + Registers::last), 8_B, all.size() - 1, 0);
}

/// Polls the status word of a descriptor, and clears it.
inline void await_status(FpgaBench& b, Fiber& f, Direction way, int id) {
  auto& core = b.machine().get<host::Core>("core");
  const std::uint64_t word = host_table + 0x2000 * static_cast<std::uint64_t>(way) + Registers::of_status(id);
  core.poll(f, b.memory(), word + 4, 4_B, [](std::uint64_t said) { return said == 1; });
  b.memory().forget(b.memory().word_ending_at(word + 4, 4_B));
}

}  // namespace fpga_test
