// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "config/config.hpp"
#include "runner/run_config.hpp"
#include "topo/graphs/explicit.hpp"

namespace tsunagi::test {

/// A nested object with an ideal.
struct EngineConfig {
  int tags = 4;
};
inline void describe(EngineConfig& c, config::Describer& d) {
  d.field("tags", c.tags, "requests under way", config::within(1, 32), config::ideal(32));
}

/// A device whose ideals cannot all be had: `queue` may not be 0 while `strict`.
struct ChipConfig {
  Time latency = 40_ns;
  int queue = 8;
  bool strict = false;
  EngineConfig engine;
};
inline void describe(ChipConfig& c, config::Describer& d) {
  d.field("latency", c.latency, "from port to port", config::ideal(0_ns));
  d.field("queue", c.queue, "packets that wait; 0: infinite", config::at_least(0), config::ideal(0));
  d.field("strict", c.strict, "refuse an infinite queue");
  d.object("engine", c.engine, "its engine");
  d.require(!c.strict || c.queue > 0, "\"queue\" must not be infinite here");
}

struct CableConfig {
  Time flight = 10_ns;
};
inline void describe(CableConfig& c, config::Describer& d) {
  d.field("flight", c.flight, "one-way delay", config::ideal(0_ns));
}

/// The program: what each message costs beside the machine.
struct ProgramConfig {
  std::string what;
  Time step = 100_ns;
};
inline void describe(ProgramConfig& c, config::Describer& d) {
  d.field("what", c.what, "what the fake simulation is to do");
  d.field("step", c.step, "software of a message", config::ideal(0_ns));
}

struct NothingConfig {};
inline void describe(NothingConfig&, config::Describer&) {}

inline const config::Kinds& whatif_kinds() {
  static const config::Kinds kinds = [] {
    config::Kinds all;
    all.add({"topology", {config::kind<topo::ExplicitConfig>("explicit", "lists everything")}});
    all.add(
        {"device",
         {config::kind<topo::GroupConfig>("group", "several devices"), config::kind<ChipConfig>("chip", "a chip")}});
    all.add({"wire", {config::kind<CableConfig>("cable", "a cable")}});
    all.add({"library", {config::kind<NothingConfig>("nothing", "no library")}});
    all.add({"scenario", {config::kind<ProgramConfig>("chip", "a scenario that is called as a device is")}});
    return all;
  }();
  return kinds;
}

/// Two chips, one of them in a group, and two cables. `overrides` as by --set.
inline RunConfig whatif_run(const std::vector<config::Override>& overrides = {}) {
  const std::string text = R"({"name": "r", "machine": {"name": "m", "topology": {"kind": "explicit",
  "devices": {"a": {"kind": "chip"}, "box": {"kind": "group", "devices": {"b/c": {"kind": "chip"}}}},
  "links": [{"ends": ["a.x", "box.b.x"], "wire": {"kind": "cable"}},
            {"ends": ["a.y", "box.b.y"], "wire": {"kind": "cable", "flight": "1 ns"}}]}},
  "library": {"kind": "nothing"}, "scenario": {"kind": "chip"}})";
  return config::read<RunConfig>(config::parse(text, "r.json", overrides), whatif_kinds());
}

}  // namespace tsunagi::test
