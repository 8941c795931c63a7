// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "config/config.hpp"
#include "model/pcix/pcix_bench.hpp"
#include "models/catalog.hpp"

namespace tsunagi::test {

/// A host of 2003 of shipped parts.
enum class Chipset { gc_le, e7501 };

struct ShippedHost {
  config::AnyConfig north, memory, dram, fsb, imb, hub, pins, bridge, bus;
};
inline void describe(ShippedHost& c, config::Describer& d) {
  for (auto [name, part] :
       {std::pair{"north", &c.north}, {"memory", &c.memory}, {"hub", &c.hub}, {"bridge", &c.bridge}, {"bus", &c.bus}})
    d.any(name, *part, "device", "", config::required);
  for (auto [name, part] : {std::pair{"dram", &c.dram}, {"fsb", &c.fsb}, {"imb", &c.imb}, {"pins", &c.pins}})
    d.any(name, *part, "wire", "", config::required);
}

/// One card, alone, whose PCI-X interface costs nothing.
inline void use_shipped(PcixBench& b, Chipset chipset) {
  const bool gc_le = chipset == Chipset::gc_le;
  const auto part = [](const char* key, const std::string& name) {
    return "\"" + std::string(key) + R"(": {"$use": ")" TSUNAGI_TEST_CONFIGS "/parts/" + name + ".json\"}";
  };
  config::KindTable devices{"device", {}}, wires{"wire", {}};
  for (const DeviceKind& k : model_catalog().devices) devices.kinds.push_back(k.kind);
  for (const WireKind& k : model_catalog().wires) wires.kinds.push_back(k.kind);
  config::Kinds kinds;
  kinds.add(devices);
  kinds.add(wires);
  const std::string text = "{" + part("north", gc_le ? "gc_le_north_bridge" : "e7501_north_bridge") + "," +
                           part("memory", "xeon_2003_memory") + "," + part("bridge", gc_le ? "ciob_x" : "p64h2") + "," +
                           part("bus", "pcix_133") + "," +
                           part("dram", gc_le ? "ddr200_two_channels" : "ddr266_two_channels") + "," +
                           part("fsb", "front_side_bus_533") + "," + part("imb", "imb") + "," +
                           part("hub", "hub_link_2") + "," + part("pins", "hub_link_pins") + "}";
  const auto host = config::read<ShippedHost>(config::parse(text, "host.json"), kinds);
  b.rc = host.north.as<host::RootComplexConfig>();
  b.mem = host.memory.as<host::MemoryConfig>();
  b.bridge = host.bridge.as<pcix::BridgeConfig>();
  b.bus = host.bus.as<pcix::BusConfig>();
  b.dram = host.dram.as<host::OnChipConfig>();
  b.fsb = host.fsb.as<host::OnChipConfig>();
  b.imb = host.imb.as<host::OnChipConfig>();
  b.pins = host.pins.as<host::OnChipConfig>();
  if (!gc_le) b.hub = host.hub.as<pcix::HubLinkConfig>();
  b.rc.bridges[0].window_base = PcixBench::windows;
  for (DmaCardConfig& c : b.cards) c.clock = b.bus.clock;
}

}  // namespace tsunagi::test
