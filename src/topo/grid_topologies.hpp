// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "config/describe.hpp"
#include "topo/graph.hpp"

namespace tsunagi::topo {

/// What a regular network is made of: one config for all routers, one for all terminals, one for all wires.
struct GridParts {
  config::AnyConfig router;
  config::AnyConfig terminal;
  config::AnyConfig wire;
  /// Between terminal and router; empty: the same as `wire`.
  config::AnyConfig terminal_wire;
};

/// Terminals of a machine: each is a rank, whose program has a stack of its own. The kernel (SystemC) takes two memory
/// mappings a stack, of which Linux gives a process 65,530 (vm.max_map_count).
constexpr int most_terminals = 30'000;

/// A bidirectional ring.
struct RingConfig {
  int nodes = 4;
  int terminals = 1;
  GridParts parts;
};
void describe(RingConfig& c, config::Describer& d);

/// A mesh or a torus.
struct GridConfig {
  std::vector<std::int64_t> sizes = {4, 4};
  int terminals = 1;
  GridParts parts;
};
void describe(GridConfig& c, config::Describer& d);

struct CrossbarConfig {
  int terminals = 4;
  GridParts parts;
};
void describe(CrossbarConfig& c, config::Describer& d);

/// Routers "router0", "router1", … and terminals "terminal0", … with the port names of `Grid`; a
/// terminal's port is "net". A wrapped dimension of two routers has two wires between them.
Graph build_ring(const config::AnyConfig& c);
Graph build_mesh(const config::AnyConfig& c);
Graph build_torus(const config::AnyConfig& c);
Graph build_crossbar(const config::AnyConfig& c);

}  // namespace tsunagi::topo
