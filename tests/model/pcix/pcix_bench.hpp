// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "support/bench.hpp"
#include "support/child.hpp"

namespace tsunagi::test {

/// Cards on a PCI-X bus below a host: `hub` puts a hub link between bridge and north bridge.
struct PcixBench : Bench {
  static constexpr std::uint64_t memory = std::uint64_t{1} << 20;
  static constexpr Bytes windows = 256_GiB;
  static std::uint64_t window(int card) { return unsigned_of(windows + 1_MiB * card); }

  explicit PcixBench(int n) : cards(static_cast<std::size_t>(n)) {
    rc.memory_size = 1_GiB;
    rc.bridges = {{"io0", windows, 16_MiB, 64}};
    rc.posted_latency = rc.read_latency = rc.completion_latency = 0_ns;
    mem.size = 1_GiB;
    mem.read_latency = mem.write_latency = 0_ns;
    bridge.upstream_latency = bridge.downstream_latency = 0_ns;
    bus.clock = Frequency(125'000'000);  // whole picoseconds
    fsb.flight = dram.flight = pins.flight = 1_fs;
    pins.bandwidth = Rate::bytes_per_second(1'000'000'000'000);
    for (DmaCardConfig& c : cards) {
      c.bus.kind = dma::BusKind::pcix;
      c.bus.latency = 0_ns;
      c.bus.max_read = 4_KiB;
      c.bus.reads = 4;
      c.bus.read_cycles = 0;
      c.clock = bus.clock;
      c.window_base = windows + 1_MiB * static_cast<std::int64_t>(&c - cards.data());
    }
  }
  void build(int max_train = 1, const std::string& findings = {}) {
    bus.slots.clear();
    for (std::size_t i = 0; i < cards.size(); ++i)
      bus.slots.push_back({"slot" + std::to_string(i), cards[i].window_base, 1_MiB});
    device("core", host::CoreConfig{});
    device("rc", rc);
    device("memory", mem);
    device("bridge", bridge);
    device("bus", bus);
    wire("core.bus", "rc.core0", fsb);
    wire("rc.memory", "memory.bus", dram);
    if (hub) {
      device("hub", *hub);
      wire("rc.io0", "hub.north", pins);
      wire("hub.south", "bridge.host", pins);
    } else {
      wire("rc.io0", "bridge.host", imb);
    }
    wire("bridge.bus", "bus.host", pcix::LinkConfig{});
    for (std::size_t i = 0; i < cards.size(); ++i) {
      const std::string name = "card" + std::to_string(i);
      device(name, cards[i]);
      wire(name + ".pcix", "bus.slot" + std::to_string(i), pcix::LinkConfig{});
    }
    if (more) more(*this);
    Bench::build(max_train, 1, findings);
  }
  DmaCard& card(int i) { return machine().get<DmaCard>("card" + std::to_string(i)); }
  pcix::Bus& the_bus() { return machine().get<pcix::Bus>("bus"); }

  host::RootComplexConfig rc;
  host::MemoryConfig mem;
  host::OnChipConfig fsb;
  host::OnChipConfig dram = fsb;
  host::OnChipConfig imb;
  host::OnChipConfig pins;
  std::optional<pcix::HubLinkConfig> hub;
  pcix::BridgeConfig bridge;
  pcix::BusConfig bus;
  std::vector<DmaCardConfig> cards;
  std::function<void(PcixBench&)> more;  // devices and wires beside these
};

}  // namespace tsunagi::test
