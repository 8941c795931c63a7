// SPDX-License-Identifier: Apache-2.0
#include "topo/rings.hpp"

#include <memory>
#include <stdexcept>

#include "topo/graph.hpp"

namespace tsunagi::topo {

Rings::Rings(int nodes, int rings) : nodes_(nodes), rings_(rings) {
  if (const std::string why = why_not(nodes, rings); !why.empty()) throw std::invalid_argument(why);
}

std::string Rings::why_not(int nodes, int rings) {
  if (nodes < 2 || nodes > 16) return "a sub-cluster has 2 to 16 nodes, not " + std::to_string(nodes);
  if (rings < 1 || rings > 2) return "a sub-cluster is one ring or two, not " + std::to_string(rings);
  if (nodes % rings != 0)
    return "two rings joined node by node need an even number of nodes, not " + std::to_string(nodes);
  return {};
}

int Rings::next(int node, Way port) const {
  const int k = length();
  const int first = ring_of(node) * k;
  const int place = node - first;
  switch (port) {
    case Way::east:
      return closed() || place + 1 < k ? first + (place + 1) % k : -1;
    case Way::west:
      return closed() || place > 0 ? first + (place + k - 1) % k : -1;
    case Way::south:
      return rings_ == 2 ? (node + k) % nodes_ : -1;
    case Way::here:
      break;
  }
  return node;
}

Rings::Way Rings::way(int from, int to) const {
  if (from == to) return Way::here;
  const int k = length();
  const int east = (to % k - from % k + k) % k;
  if (east == 0) return Way::south;
  if (!closed()) return to % k > from % k ? Way::east : Way::west;
  return east <= k - east ? Way::east : Way::west;
}

int Rings::hops(int from, int to) const {
  int n = 0;
  for (; from != to; ++n) from = next(from, way(from, to));
  return n;
}

void describe(RingsConfig& c, config::Describer& d) {
  d.field("nodes", c.nodes, "nodes of the sub-cluster", config::within(2, 16));
  d.field("rings", c.rings, "rings by ports E and W; two are joined node by node by ports S", config::within(1, 2));
  describe_nodes(c.parts, d);
  d.any("cable", c.cable, "wire", "every cable between chips", config::required);
  const std::string why = Rings::why_not(c.nodes, c.rings);
  d.require(why.empty(), why);
}

namespace {

class RingsRoutes final : public Routes {
 public:
  explicit RingsRoutes(const Rings& rings) : rings_(rings) {}
  Hop next(int router, const Trip& trip) const override {
    return {static_cast<int>(rings_.way(router, static_cast<int>(trip.destination)))};
  }

 private:
  Rings rings_;
};

}  // namespace

Network rings_network(const RingsConfig& c) {
  const Rings rings(c.nodes, c.rings);
  const Network::PortNames ports = port_names({"n", "e", "w", "s"});  // as ways are numbered
  Network net;
  for (int i = 0; i < c.nodes; ++i) net.add_router({}, ports);
  const auto cable = [&](int from, Rings::Way way, Rings::Way in) {
    const int to = rings.next(from, way);
    if (to >= 0) net.join({from, static_cast<int>(way)}, {to, static_cast<int>(in)}, {c.cable, "/cable"});
  };
  for (int i = 0; i < c.nodes; ++i) {
    cable(i, Rings::Way::east, Rings::Way::west);
    if (rings.ring_of(i) == 0) cable(i, Rings::Way::south, Rings::Way::south);
  }
  for (int i = 0; i < c.nodes; ++i) net.attach({i, static_cast<int>(Rings::Way::here)}, {{}, "/node"});
  net.set_routes(std::make_shared<const RingsRoutes>(rings));
  if (rings.rings() == 1)
    net.set_box({rings.length()});
  else
    net.set_box({rings.length(), rings.rings()});
  return net;
}

Topology tca_topology() {
  return of_network("tca", "nodes with PEACH2 chips in a ring, or in two that are joined", rings_network);
}

}  // namespace tsunagi::topo
