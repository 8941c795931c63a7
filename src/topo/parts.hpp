// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "config/describe.hpp"
#include "topo/network.hpp"
#include "units/length.hpp"

namespace tsunagi::topo {

/// Nodes that are not like the others, by their names: "node3".
using Overrides = std::vector<std::pair<std::string, config::AnyConfig>>;

/// What stands at each terminal of a network. In `networks` the nodes are those of all, and only `attach` is said.
struct NodeParts {
  config::AnyConfig terminal = {};  // a device, "terminal0", …
  config::AnyConfig node = {};      // a device or a group of them, "node0", …
  std::string attach = {};          // "nic.net": device and port of a group that the network is attached to
  int first_node = 0;               // in `networks`: that of terminal 0
  Overrides overrides = {};
};

/// What a network of routers is made of.
struct NetworkParts : NodeParts {
  config::AnyConfig router;
  config::AnyConfig wire;
  /// Between terminal and router; empty: the same as `wire`.
  config::AnyConfig terminal_wire;

  WireUse between_routers() const { return {wire, "/wire"}; }
  WireUse to_terminals() const {
    return terminal_wire.empty() ? between_routers() : WireUse{terminal_wire, "/terminal_wire"};
  }
};

/// Terminals of a machine: each is a rank, whose program has a stack of its own. The kernel (SystemC) takes two memory
/// mappings a stack, of which Linux gives a process 65,530 (vm.max_map_count).
constexpr int most_terminals = 30'000;
/// The rule, as told to who breaks it.
std::string too_many_terminals();
/// Ports of all routers of a network whose config could ask for millions, most of them without a wire.
constexpr std::int64_t most_ports = 1'000'000;
std::string too_many_ports();

/// What one link may say in place of its wire. An infinite rate and no length: as the wire says.
struct CableConfig {
  Rate rate;
  Length length;
};
/// Longest cable: the flight that wires take at most.
constexpr Length longest_cable = 20_km;
/// As wires of all kinds have at least.
constexpr Rate slowest_cable = Rate::bytes_per_second(1'000'000);
void describe(CableConfig& c, config::Describer& d);
/// `use` with what a link says itself.
WireUse cabled(WireUse use, const CableConfig& c);

void describe_overrides(Overrides& o, config::Describer& d);
void describe_nodes(NodeParts& p, config::Describer& d);
void describe_network(NetworkParts& p, config::Describer& d);
/// Terminals at each router.
void describe_terminals(int& terminals, config::Describer& d);

}  // namespace tsunagi::topo
