// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "config/describe.hpp"
#include "topo/network.hpp"
#include "topo/parts.hpp"

namespace tsunagi::topo {

/// A bidirectional ring.
struct RingConfig {
  int nodes = 4;
  int terminals = 1;
  NetworkParts parts;
};
void describe(RingConfig& c, config::Describer& d);

/// A mesh or a torus.
struct GridConfig {
  std::vector<std::int64_t> sizes = {4, 4};
  int terminals = 1;
  NetworkParts parts;
};
void describe(GridConfig& c, config::Describer& d);

struct CrossbarConfig {
  int terminals = 4;
  NetworkParts parts;
};
void describe(CrossbarConfig& c, config::Describer& d);

/// With the port names of `Grid`. A wrapped dimension of two routers has two wires between them.
Network ring_network(const RingConfig& c);
Network mesh_network(const GridConfig& c);
Network torus_network(const GridConfig& c);
Network crossbar_network(const CrossbarConfig& c);

}  // namespace tsunagi::topo
