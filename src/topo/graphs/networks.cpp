// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/describe.hpp"
#include "config/error_at.hpp"
#include "topo/graph.hpp"
#include "topo/graphs/assemble.hpp"
#include "topo/parts.hpp"

namespace tsunagi::topo {

namespace {

/// Several networks over the same nodes, each wired to a port of its own: two rails, PEACH2 rings beside a fat-tree.
struct NetworksConfig {
  int nodes = 2;
  config::AnyConfig node;
  Overrides overrides;
  std::vector<std::pair<std::string, config::AnyConfig>> networks;
};

bool is_node(const std::string& name, int nodes) {
  for (int i = 0; i < nodes; ++i)
    if (name == "node" + std::to_string(i)) return true;
  return false;
}

void describe(NetworksConfig& c, config::Describer& d) {
  d.field("nodes", c.nodes, "how many there are", config::within(1, most_terminals), config::required);
  d.any("node", c.node, "device", "every node: a device, or a group of them", config::required);
  describe_overrides(c.overrides, d);
  d.any_map("networks", c.networks, "topology", "the networks by name, each with the port that it is wired to",
            config::required);
  d.require(!c.networks.empty(), "\"networks\" is empty");
}

/// Nodes "node0", …; routers of network "ib" are "ib.router0", …
/// Throws config::ConfigError for a network that needs other nodes than there are, or two that claim one port.
Graph build_networks(const NetworksConfig& c) {
  const std::string here = "/machine/topology";
  Assembly all;
  all.add_nodes({c.node, c.overrides, "node", here}, c.nodes);
  std::map<std::pair<std::string, int>, std::string> attached;  // port and node, to the network
  for (const auto& [name, config] : c.networks) {
    const std::string pointer = here + "/networks/" + name;
    if (is_node(name, c.nodes))
      throw config::error_at(pointer, "network \"" + name + "\" is called as a node is: its routers would be among " +
                                          "the devices of node " + name);
    const Topology& t = topology_of(config);
    if (!t.network)
      throw config::error_at(
          pointer, "a network among several cannot be of kind \"" + config.kind() + "\", which lists a machine");
    const NodeParts& parts = t.nodes(config);
    if (!parts.node.empty() || !parts.terminal.empty() || !parts.overrides.empty())
      throw config::error_at(pointer + (!parts.node.empty()       ? "/node"
                                        : !parts.terminal.empty() ? "/terminal"
                                                                  : "/overrides"),
                             "the nodes of all networks are said once, beside \"networks\"");
    Network network = network_at(pointer, t, config);
    network.set_name(name, pointer);
    for (int i = 0; i < network.terminals(); ++i)
      if (const auto [other, is_new] = attached.emplace(std::pair{parts.attach, i + parts.first_node}, name); !is_new)
        throw config::error_at(pointer + "/attach", "networks \"" + other->second + "\" and \"" + name +
                                                        "\" claim the same port, " +
                                                        (parts.attach.empty() ? "net" : parts.attach) + " of node " +
                                                        std::to_string(i + parts.first_node));
    const auto shared = std::make_shared<const Network>(std::move(network));
    all.add_routers(shared);
    all.wire_up(shared, parts);
  }
  return all.take();
}

}  // namespace

Topology networks_topology() { return of_machine("networks", "several networks over the same nodes", build_networks); }

}  // namespace tsunagi::topo
