// SPDX-License-Identifier: Apache-2.0
#include "topo/explicit.hpp"
#include "topo/graph.hpp"

namespace tsunagi::topo {

const std::vector<Topology>& catalog() {
  static const std::vector<Topology> all = {
      {config::kind<ExplicitConfig>("explicit", "every device and link listed by name"), build_explicit},
  };
  return all;
}

Graph build(const config::AnyConfig& topology) {
  for (const Topology& t : catalog())
    if (t.kind.name == topology.kind()) return t.build(topology);
  throw std::logic_error("topology kind without a builder: " + topology.kind());
}

}  // namespace tsunagi::topo
