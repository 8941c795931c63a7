// SPDX-License-Identifier: Apache-2.0
#include "models/infiniband/switch.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "models/infiniband/ports.hpp"

namespace tsunagi::infiniband {

namespace {

/// Credit limits are counted modulo 4096 and lie at most half of that ahead (7.9.4).
constexpr int most_blocks = 2048;

/// How many data virtual lanes a port can have (volume 1, 14.2.5.6: VLCap).
constexpr std::initializer_list<std::int64_t> lane_counts{1, 2, 4, 8, most_virtual_lanes};

}  // namespace

SwitchConfig::SwitchConfig() {
  clock = Frequency(250'000'000);
  latency = 25;
  virtual_channels = 1;
  buffer_flits = 200;
}

void describe(SwitchConfig& c, config::Describer& d) {
  using namespace config;
  d.field("clock", c.clock, "clock of the switch", within(Frequency(1'000'000), Frequency(100'000'000'000)),
          ideal(Frequency(100'000'000'000)));
  describe(c.limits, d);
  d.field("latency", c.latency, "cycles from a head's arrival to its output", within(0, 10000), ideal(0));
  d.field("virtual_lanes", c.virtual_channels, "data virtual lanes, as on the wires", one_of(lane_counts));
  d.field("vl_blocks", c.buffer_flits, "blocks of 64 B that each port buffers a virtual lane", within(1, most_blocks),
          ideal(most_blocks));
  d.field("weights", c.weights,
          "64 B on the wire that a turn of a virtual lane is good for, lane 0 first, those that are missing: a packet; "
          "none at all: inputs have the turns",
          within(std::int64_t{1}, std::int64_t{255}));
  d.field("high_priority", c.high_priority, "virtual lanes that are served before all others",
          within(std::int64_t{0}, std::int64_t{most_virtual_lanes - 1}));
  d.field("deadlock_free", c.deadlock_free,
          "use virtual lanes in the classes that the routes ask for (datelines of rings); without, packets can "
          "deadlock");
  const auto lanes = static_cast<std::size_t>(c.virtual_channels);
  d.require(c.weights.size() <= lanes, "\"weights\" are of more virtual lanes than there are");
  d.require(std::all_of(c.high_priority.begin(), c.high_priority.end(),
                        [&c](std::int64_t vl) { return vl < c.virtual_channels; }),
            "\"high_priority\" names a virtual lane that there is none of");
}

namespace {

net::Arbitration arbitration(const SwitchConfig& c) {
  net::Arbitration a;
  if (c.weights.empty() && c.high_priority.empty()) return a;
  a.takers = net::Arbitration::Takers::classes;
  for (const std::int64_t w : c.weights) a.weights.push_back(LinkFraming::credit_block * w);
  if (!c.high_priority.empty()) a.priorities.assign(static_cast<std::size_t>(c.virtual_channels), 0);
  for (const std::int64_t vl : c.high_priority) a.priorities[static_cast<std::size_t>(vl)] = 1;
  return a;
}

}  // namespace

Switch::Switch(DeviceArgs args, const SwitchConfig& c)
    : Router(std::move(args), c, {true, true, "infiniband", "virtual lanes", arbitration(c), 0, lane_counts, true}),
      limits_(c.limits) {}

void Switch::wired() {
  check_ports(*this, limits_);
  Router::wired();
}

}  // namespace tsunagi::infiniband
