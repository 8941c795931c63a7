// SPDX-License-Identifier: Apache-2.0
// Networks and what stands at their terminals become devices and links.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "topo/graph.hpp"
#include "topo/parts.hpp"

namespace tsunagi::topo {

/// A machine of one network: routers "router0", …, terminals "terminal0", … or nodes "node0", …
/// Throws config::ConfigError for nodes without such a port to attach to.
Graph assemble(Network network, const NodeParts& parts);

/// A machine of several networks, put together in this order: nodes, then network after network.
class Assembly {
 public:
  /// What stands at the places: `name`0, …; the devices of a group are "node0.device".
  struct Nodes {
    const config::AnyConfig& each;
    const Overrides& overrides;
    std::string name;     // "node", "terminal": also the field's
    std::string pointer;  // of the object that has the fields
  };
  /// Throws config::ConfigError for overrides of nodes that are not there.
  void add_nodes(const Nodes& nodes, int count);
  /// The routers that are devices of their own: "router0", or "ib.router0" in a network of that name.
  void add_routers(const std::shared_ptr<const Network>& network);
  /// The wires. Terminal 0 is at node `parts.first_node`.
  void wire_up(const std::shared_ptr<const Network>& network, const NodeParts& parts);
  Graph take() { return std::move(graph_); }

 private:
  /// Devices of a node: from `first` on.
  struct Member {
    std::uint32_t first = 0;
    std::uint32_t end = 0;
    bool group = false;
  };
  const Member& node_of(const Network& network, int terminal, const NodeParts& parts) const;
  std::uint32_t device(const Member& node, const std::string& name, const std::string& pointer) const;
  End router_end(const Network& network, RouterPort p, const NodeParts& parts) const;
  End terminal_end(const Network& network, int terminal, const NodeParts& parts) const;

  Graph graph_;
  std::vector<Member> nodes_;
  std::uint32_t first_router_ = 0;  // in the graph, of the network that was added last
};

}  // namespace tsunagi::topo
