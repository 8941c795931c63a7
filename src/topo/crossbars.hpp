// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "config/describe.hpp"
#include "topo/network.hpp"
#include "topo/parts.hpp"

namespace tsunagi::topo {

/// Nodes in a box of one to three dimensions.
struct CrossbarsConfig {
  std::vector<std::int64_t> sizes = {8, 8};
  config::AnyConfig relay;  // empty: as the crossbars
  NetworkParts parts;
};
void describe(CrossbarsConfig& c, config::Describer& d);

/// The multi-dimensional crossbar network of Hitachi's SR2201 and SR8000: along every line of nodes, in each dimension,
/// a full crossbar. A node stands at a relay switch with a wire to the crossbar of each of its lines (Fujii et al.,
/// "Architecture and performance of the Hitachi SR2201 massively parallel processor system", IPPS 1997; paper 002, 4
/// and figures 4 and 5: a node reaches a y-crossbar over its x-crossbar, and a y-crossbar all x-crossbars and all nodes
/// of its line). A dimension of size 1 has no crossbars; where only one is longer, nodes stand at the one crossbar,
/// without relays ("8 nodes: a one-dimensional crossbar").
///
/// Relays are numbered as their nodes, the first coordinate fastest, and called "relay0", … with ports "x", "y", "z"
/// and "n" (the node); behind them the crossbars "x0", …, "y0", …, "z0", …, each dimension's by the coordinates that
/// are left, with ports "p0", … by the coordinate along the line.
///
/// Routes correct x, then y, then z. A packet only ever waits for wires in this order: into the x-crossbar, out of it,
/// into the y-crossbar, and so on. So no circle of waiting can close, with any virtual channels.
Network crossbars_network(const CrossbarsConfig& c);

}  // namespace tsunagi::topo
