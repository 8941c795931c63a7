// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "config/describe.hpp"

namespace tsunagi::topo {

struct Graph;

/// Which devices of an explicit machine are the routers of a network, and how they lead packets.
struct NetworkConfig {
  std::string name;
  std::vector<std::string> routers;
  config::AnyConfig routes;
};
void describe(NetworkConfig& c, config::Describer& d);

/// Makes networks of a graph's devices and links, and tells the devices their places in them. `pointer` is that of the
/// list.
///  - Links between two of its routers are a network's cables. A router's ports are those that links name, numbered in
///    the order of the links.
///  - Whatever else a link joins to a router is a terminal, numbered in the order of the devices; one that is joined by
///    several ports is a terminal by each of them, in the order of the links, and called "device.port" in routes.
/// Throws config::ConfigError for routers that are no devices, are named twice or have no links, and for what
/// `set_routes` refuses.
void add_networks(Graph& g, const std::vector<NetworkConfig>& networks, const std::string& pointer);

}  // namespace tsunagi::topo
