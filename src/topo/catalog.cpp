// SPDX-License-Identifier: Apache-2.0
#include "topo/explicit.hpp"
#include "topo/graph.hpp"
#include "topo/grid_topologies.hpp"
#include "topo/rings.hpp"

namespace tsunagi::topo {

const std::vector<Topology>& catalog() {
  static const std::vector<Topology> all = {
      {config::kind<ExplicitConfig>("explicit", "every device and link listed by name"), build_explicit},
      {config::kind<RingConfig>("ring", "routers in a ring, terminals at each"), build_ring},
      {config::kind<GridConfig>("mesh", "routers in a mesh of any dimensions, terminals at each"), build_mesh},
      {config::kind<GridConfig>("torus", "routers in a torus of any dimensions, terminals at each"), build_torus},
      {config::kind<CrossbarConfig>("crossbar", "one router between all terminals"), build_crossbar},
      {config::kind<RingsConfig>("tca", "nodes with PEACH2 chips in a ring, or in two that are joined"), build_rings},
  };
  return all;
}

Graph build(const config::AnyConfig& topology) {
  for (const Topology& t : catalog())
    if (t.kind.name == topology.kind()) return t.build(topology);
  throw std::logic_error("topology kind without a builder: " + topology.kind());
}

}  // namespace tsunagi::topo
