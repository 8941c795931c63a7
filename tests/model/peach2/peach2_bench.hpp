// SPDX-License-Identifier: Apache-2.0
// A PEACH2 chip with its host at N, a probe at W that stands for another node and rings its doorbells at known times,
// and a probe at E that sees what the DMA controller writes to node 1. Quiet Gen2 x8 links; one cycle is 4 ns.
#pragma once

#include <string>

#include "models/peach2/descriptor.hpp"
#include "support/bench.hpp"

namespace tsunagi::test {

constexpr Time cycle = 4_ns;
constexpr std::uint64_t GiB = std::uint64_t{1} << 30;

inline Time at_or_after(Time t) { return cycle * ((t + cycle - 1_fs) / cycle); }

class Peach2Bench : public Bench {
 public:
  peach2::Peach2Config chip;
  host::RootComplexConfig root;
  host::MemoryConfig memory_config;
  host::OnChipConfig bus;
  pcie::LinkConfig link = quiet(gen2_x8());
  pcie::LinkConfig east = link;

  Peach2Bench() {
    chip.node = 0;
    chip.nodes = 2;
    chip.hard_ip_cycles = 24;
    chip.route_cycles = 4;
    chip.dma.channels = 2;
    chip.dma.step_cycles = 10;
    chip.dma.descriptor_cycles = 16;
    chip.routes = {{peach2::east, 1, 1}};
    root.slots = {{"slot0", 512_GiB, 512_GiB}, {"gpu", 300_GiB, 1_GiB}};
    memory_config.record = true;
    bus.bandwidth = Rate::infinite();
  }

  void build(int max_train = 1) {
    device("chip", chip);
    device("core0", host::CoreConfig{});
    device("rc", root);
    device("memory", memory_config);
    device("at_e", port("link"));
    device("at_w", port("link"));
    device("gpu", port("link"));
    wire("core0.bus", "rc.core0", bus);
    wire("rc.memory", "memory.bus", bus);
    wire("rc.slot0", "chip.n", link);
    wire("rc.gpu", "gpu.link", link);
    wire("at_e.link", "chip.e", east);
    wire("at_w.link", "chip.w", link);
    Bench::build(max_train);
  }

  /// Byte `offset` of a region of the window.
  static std::uint64_t address(int node, peach2::Region r, std::uint64_t offset) {
    return peach2::AddressMap(512_GiB, 512_GiB, 2).address(node, r, offset).value();
  }
  static std::uint64_t own(std::uint64_t offset) { return address(0, peach2::Region::chip, offset); }
  static std::uint64_t remote(std::uint64_t offset) { return address(1, peach2::Region::host, offset); }
  static std::uint64_t host(std::uint64_t offset) { return address(0, peach2::Region::host, offset); }
  /// Descriptor `i` of a chain in host memory, as the chip reads it; `host(table(i))` as the window shows it.
  static std::uint64_t table(int i) { return far + 0x10'0000 + 32 * static_cast<std::uint64_t>(i); }

  /// Writes eight bytes from node 1 to an address of the window, now.
  void set(std::uint64_t to, std::uint64_t value) {
    probe("at_w").says(value);
    probe("at_w").write(to, 8_B);
    probe("at_w").says({});
  }
  void set_register(std::uint64_t offset, std::uint64_t value) { set(own(offset), value); }
  /// Fills descriptor `i` of channel 0 in the registers.
  void set_descriptor(int i, const peach2::Descriptor& d) {
    using peach2::Registers;
    const std::uint64_t at = Registers::of_descriptor(0, i);
    set_register(at + Registers::source, d.source);
    set_register(at + Registers::destination, d.destination);
    set_register(at + Registers::length, static_cast<std::uint64_t>(d.length.count()));
    set_register(at + Registers::stride,
                 static_cast<std::uint64_t>(d.burst.count()) | static_cast<std::uint64_t>(d.gap.count()) << 32);
    set_register(at + Registers::flags, (d.source_strided ? Registers::source_strided : 0) |
                                            (d.destination_strided ? Registers::destination_strided : 0));
  }
  /// Writes a descriptor to `at`, an address of the window, word by word.
  void write_descriptor(std::uint64_t at, const peach2::Chained& c) {
    const peach2::DescriptorWords words = peach2::encode(c);
    for (std::size_t i = 0; i < words.size(); ++i) set(at + 8 * i, words[i]);
  }
  /// A chain of descriptors in host memory that begins at `table(0)`.
  void write_chain(const std::vector<peach2::Descriptor>& all) {
    for (std::size_t i = 0; i < all.size(); ++i)
      write_descriptor(host(table(static_cast<int>(i))),
                       {all[i], i + 1 < all.size() ? table(static_cast<int>(i) + 1) : 0});
  }
  void ring_registers(int n) { set_register(peach2::Registers::control, static_cast<std::uint64_t>(n)); }
  void ring_chain(std::uint64_t first) { set_register(peach2::Registers::chain, first); }

  host::Memory& memory() { return machine().get<host::Memory>("memory"); }

  // --- closed forms ---
  Time step() const { return cycle * chip.dma.step_cycles; }
  Time load() const { return cycle * chip.dma.descriptor_cycles; }
  Time hard_ip() const { return cycle * chip.hard_ip_cycles; }
  Time route() const { return cycle * chip.route_cycles; }
  static Time on_link(Bytes n) { return gen2_x8_rate().time(n); }
  static Rate gen2_x8_rate() { return pcie::link_rate(gen2_x8()); }
  /// From a doorbell that the probe at W writes at `t` to its arrival behind the routing stage.
  Time doorbell(Time t) const { return at_or_after(t + on_link(32_B) + link.flight) + hard_ip() + route(); }
  /// From a read request of `n` bytes (at most one completion) to its data behind the routing stage, on clock edges.
  /// The completion may have to wait for `behind` before it.
  Time round_trip(Bytes n, Bytes behind = 0_B) const {
    Time t = hard_ip() + on_link(24_B) + link.flight + root.read_latency;     // one beat, 24 B with its framing
    t += bus.flight + memory_config.read_latency + bus.flight;                // of no width
    t += root.completion_latency + on_link(behind + n + 20_B) + link.flight;  // header 12 B, framing 8 B
    return at_or_after(t) + hard_ip() + route();
  }
  /// From data in the DMA controller to the arrival of the write of `n` bytes at E.
  Time written(Bytes n) const { return step() * 2 + hard_ip() + on_link(n + 24_B) + link.flight; }
};

}  // namespace tsunagi::test
