// SPDX-License-Identifier: Apache-2.0
// The topologies. To add one: write src/topo/foo.cpp, which ends with its entry, then two lines here.
#include <stdexcept>

#include "config/error_at.hpp"
#include "topo/graph.hpp"
#include "topo/graphs/assemble.hpp"

namespace tsunagi::topo {

Topology explicit_topology();
Topology networks_topology();
Topology ring_topology();
Topology mesh_topology();
Topology torus_topology();
Topology crossbar_topology();
Topology hypercube_topology();
Topology fat_tree_topology();
Topology dragonfly_topology();
Topology crossbars_topology();
Topology edge_list_topology();
Topology tca_topology();

const std::vector<Topology>& catalog() {
  static const std::vector<Topology> all = {
      explicit_topology(),  networks_topology(),  ring_topology(),      mesh_topology(),
      torus_topology(),     crossbar_topology(),  hypercube_topology(), fat_tree_topology(),
      dragonfly_topology(), crossbars_topology(), edge_list_topology(), tca_topology(),
  };
  return all;
}

const Topology& topology_of(const config::AnyConfig& topology) {
  for (const Topology& t : catalog())
    if (t.kind.name == topology.kind()) return t;
  throw std::logic_error("topology kind without a builder: " + topology.kind());
}

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

Graph build(const config::AnyConfig& topology, bool refused) {
  const Topology& t = topology_of(topology);
  Graph out = t.machine ? t.machine(topology) : assemble(t.network(topology), t.nodes(topology));
  for (const Node& n : out.nodes)
    if (n.config.kind() == "box")
      throw config::error_at(n.pointer, "a box stands as \"router\" of a topology, at no other place");
  for (const auto& network : out.networks)
    if (network->refusal() && !refused) throw config::error_at(network->refusal()->pointer, network->refusal()->why);
  return out;
}

}  // namespace tsunagi::topo
