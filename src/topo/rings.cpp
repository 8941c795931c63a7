// SPDX-License-Identifier: Apache-2.0
#include "topo/rings.hpp"

#include <stdexcept>

#include "config/error_at.hpp"
#include "topo/explicit.hpp"

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
  d.field("chip", c.chip, "name of the PEACH2 chip in a node");
  d.any("node", c.node, "device", "every node: a group with the chip in it", config::required);
  d.any("cable", c.cable, "wire", "every cable between chips", config::required);
  const std::string why = Rings::why_not(c.nodes, c.rings);
  d.require(why.empty(), why);
  d.require(c.node.empty() || c.node.kind() == "group", "\"node\" must be a group of devices");
}

Graph build_rings(const config::AnyConfig& any) {
  const auto& c = any.as<RingsConfig>();
  const auto rings = std::make_shared<const Rings>(c.nodes, c.rings);
  Graph g;
  g.rings = rings;
  std::vector<std::uint32_t> chips;
  for (int i = 0; i < c.nodes; ++i) {
    const std::string prefix = "node" + std::to_string(i) + ".";
    const std::size_t first = g.nodes.size();
    add_group(g, c.node.as<GroupConfig>(), prefix, "/machine/topology/node");
    for (std::size_t n = first; n < g.nodes.size(); ++n)
      if (g.nodes[n].name == prefix + c.chip) {
        g.nodes[n].place = i;
        chips.push_back(static_cast<std::uint32_t>(n));
      }
    if (chips.size() != static_cast<std::size_t>(i) + 1)
      throw config::error_at("/machine/topology/chip", "a node has no device \"" + c.chip + "\"");
  }
  const auto cable = [&](int from, Rings::Way way, const char* out, const char* in) {
    const int to = rings->next(from, way);
    if (to >= 0)
      g.links.push_back({{chips[static_cast<std::size_t>(from)], out},
                         {chips[static_cast<std::size_t>(to)], in},
                         c.cable,
                         "/machine/topology/cable"});
  };
  for (int i = 0; i < c.nodes; ++i) {
    cable(i, Rings::Way::east, "e", "w");
    if (rings->ring_of(i) == 0) cable(i, Rings::Way::south, "s", "s");
  }
  return g;
}

}  // namespace tsunagi::topo
