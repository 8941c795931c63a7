// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "config/describe.hpp"
#include "topo/network.hpp"
#include "topo/parts.hpp"
#include "topo/routes/choice.hpp"

namespace tsunagi::topo {

enum class GridRouting : std::uint8_t { dimension_order, minimal_adaptive, valiant, ugal };

/// Ways through a grid: GridRoutes, GridMinimalAdaptive, GridValiant.
struct GridRoutesConfig {
  GridRouting routing = GridRouting::dimension_order;
  ChoiceConfig choice;
};
void describe(GridRoutesConfig& c, config::Describer& d);

/// A bidirectional ring.
struct RingConfig {
  int nodes = 4;
  int terminals = 1;
  GridRoutesConfig routes = {};
  NetworkParts parts;
};
void describe(RingConfig& c, config::Describer& d);

/// A mesh or a torus.
struct GridConfig {
  std::vector<std::int64_t> sizes = {4, 4};
  int terminals = 1;
  GridRoutesConfig routes = {};
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
