// SPDX-License-Identifier: Apache-2.0
#include "topo/graphs/networks.hpp"

#include <map>
#include <memory>

#include "config/error_at.hpp"
#include "topo/graphs/assemble.hpp"

namespace tsunagi::topo {

namespace {

/// A network of several; what is wrong with it is told at its place, not at that of a machine's only one.
Network network_at(const std::string& pointer, const Topology& t, const config::AnyConfig& config) {
  const std::string alone = "/machine/topology";
  try {
    return t.network(config);
  } catch (const config::ConfigError& e) {
    std::vector<config::Message> messages = e.messages();
    for (config::Message& m : messages)
      if (m.pointer.rfind(alone, 0) == 0) m.pointer.replace(0, alone.size(), pointer);
    throw config::ConfigError(std::move(messages));
  }
}

bool is_node(const std::string& name, int nodes) {
  for (int i = 0; i < nodes; ++i)
    if (name == "node" + std::to_string(i)) return true;
  return false;
}

}  // namespace

void describe(NetworksConfig& c, config::Describer& d) {
  d.field("nodes", c.nodes, "how many there are", config::within(1, most_terminals), config::required);
  d.any("node", c.node, "device", "every node: a device, or a group of them", config::required);
  describe_overrides(c.overrides, d);
  d.any_map("networks", c.networks, "topology", "the networks by name, each with the port that it is wired to",
            config::required);
  d.require(!c.networks.empty(), "\"networks\" is empty");
}

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

}  // namespace tsunagi::topo
