// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "config/error_at.hpp"
#include "topo/crossbars.hpp"
#include "topo/dragonfly.hpp"
#include "topo/edge_list.hpp"
#include "topo/fat_tree.hpp"
#include "topo/graph.hpp"
#include "topo/graphs/assemble.hpp"
#include "topo/graphs/explicit.hpp"
#include "topo/graphs/networks.hpp"
#include "topo/grid_topologies.hpp"
#include "topo/hypercube.hpp"
#include "topo/rings.hpp"

namespace tsunagi::topo {

namespace {

/// A topology that makes a network of a config C, whose `parts` are what it is made of.
template <class C>
Topology network(const char* name, const char* doc, Network (*build)(const C&)) {
  return {config::kind<C>(name, doc),
          [build](const config::AnyConfig& c) { return build(c.as<C>()); },
          [](const config::AnyConfig& c) -> const NodeParts& { return c.as<C>().parts; },
          {}};
}

/// One that makes a whole machine.
template <class C>
Topology machine(const char* name, const char* doc, Graph (*build)(const C&)) {
  return {config::kind<C>(name, doc), {}, {}, [build](const config::AnyConfig& c) { return build(c.as<C>()); }};
}

}  // namespace

const std::vector<Topology>& catalog() {
  static const std::vector<Topology> all = {
      machine("explicit", "every device and link listed by name", build_explicit),
      machine("networks", "several networks over the same nodes", build_networks),
      network("ring", "routers in a ring, terminals at each", ring_network),
      network("mesh", "routers in a mesh of any dimensions, terminals at each", mesh_network),
      network("torus", "routers in a torus of any dimensions, terminals at each", torus_network),
      network("crossbar", "one router between all terminals", crossbar_network),
      network("hypercube", "routers at the corners of a hypercube, terminals at each", hypercube_network),
      network("fat_tree", "switches in levels, each with as many ways up as down or fewer", fat_tree_network),
      network("dragonfly", "groups of routers, all joined within a group, and all groups joined", dragonfly_network),
      network("crossbars", "nodes in a box, a crossbar along every line of them", crossbars_network),
      network("edge_list", "routers and cables of any graph, as its edges", edge_list_network),
      network("tca", "nodes with PEACH2 chips in a ring, or in two that are joined", rings_network),
  };
  return all;
}

const Topology& topology_of(const config::AnyConfig& topology) {
  for (const Topology& t : catalog())
    if (t.kind.name == topology.kind()) return t;
  throw std::logic_error("topology kind without a builder: " + topology.kind());
}

Graph build(const config::AnyConfig& topology, bool refused) {
  const Topology& t = topology_of(topology);
  Graph out = t.machine ? t.machine(topology) : assemble(t.network(topology), t.nodes(topology));
  for (const auto& network : out.networks)
    if (network->refusal() && !refused) throw config::error_at(network->refusal()->pointer, network->refusal()->why);
  return out;
}

}  // namespace tsunagi::topo
