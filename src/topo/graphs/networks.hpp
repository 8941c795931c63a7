// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "config/describe.hpp"
#include "topo/graph.hpp"
#include "topo/parts.hpp"

namespace tsunagi::topo {

/// Several networks over the same nodes, each wired to a port of its own: two rails, PEACH2 rings beside a fat-tree.
struct NetworksConfig {
  int nodes = 2;
  config::AnyConfig node;
  Overrides overrides;
  std::vector<std::pair<std::string, config::AnyConfig>> networks;
};
void describe(NetworksConfig& c, config::Describer& d);

/// Nodes "node0", …; routers of network "ib" are "ib.router0", …
/// Throws config::ConfigError for a network that needs other nodes than there are, or two that claim one port.
Graph build_networks(const NetworksConfig& c);

}  // namespace tsunagi::topo
