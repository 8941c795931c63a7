// SPDX-License-Identifier: Apache-2.0
#include "topo/graphs/assemble.hpp"

#include <utility>

#include "config/error_at.hpp"
#include "config/suggest.hpp"
#include "topo/graphs/explicit.hpp"

namespace tsunagi::topo {

namespace {

/// Whether the routers are devices of the nodes.
bool inside_nodes(const Network& network) { return network.routers() > 0 && network.router(0).config.empty(); }

[[noreturn]] void no_node(const Assembly::Nodes& nodes, const std::string& name, int count) {
  const std::string last = nodes.name + std::to_string(count - 1);
  throw config::error_at(nodes.pointer + "/overrides/" + name,
                         "there is no such node; there are " + nodes.name + "0 to " + last);
}

/// That of the node of that name, of `count`.
std::size_t number_of(const Assembly::Nodes& nodes, const std::string& name, int count) {
  int i = 0;
  while (i < count && name != nodes.name + std::to_string(i)) ++i;
  if (i == count) no_node(nodes, name, count);
  return static_cast<std::size_t>(i);
}

WireUse placed(WireUse wire, const Network& network) {
  wire.pointer = network.pointer() + wire.pointer;
  return wire;
}

}  // namespace

void Assembly::add_nodes(const Nodes& nodes, int count) {
  std::vector<const config::AnyConfig*> configs(static_cast<std::size_t>(count), &nodes.each);
  for (const auto& [name, config] : nodes.overrides) configs[number_of(nodes, name, count)] = &config;
  for (std::size_t i = 0; i < configs.size(); ++i) {
    const auto first = static_cast<std::uint32_t>(graph_.nodes.size());
    const config::AnyConfig& node = *configs[i];
    const bool group = node.kind() == "group";
    const std::string own = nodes.name + std::to_string(i);
    const std::string pointer = nodes.pointer + (&node == &nodes.each ? "/" + nodes.name : "/overrides/" + own);
    if (group)
      add_group(graph_, node.as<GroupConfig>(), own + ".", pointer);
    else
      graph_.nodes.push_back({own, node, pointer});
    nodes_.push_back({first, static_cast<std::uint32_t>(graph_.nodes.size()), group});
  }
}

void Assembly::add_routers(const std::shared_ptr<const Network>& network) {
  first_router_ = static_cast<std::uint32_t>(graph_.nodes.size());
  if (inside_nodes(*network)) return;
  const std::string prefix = network->name().empty() ? "" : network->name() + ".";
  for (int r = 0; r < network->routers(); ++r) {
    const Network::Router& router = network->router(r);
    graph_.nodes.push_back({prefix + network->router_name(r),
                            router.config,
                            network->pointer() + router.pointer,
                            {{network, Place::Role::router, r, {}}}});
  }
}

void Assembly::wire_up(const std::shared_ptr<const Network>& network, const NodeParts& parts) {
  graph_.networks.push_back(network);
  if (inside_nodes(*network))
    for (int r = 0; r < network->routers(); ++r) {
      const std::uint32_t chip = router_end(*network, {r, 0}, parts).node;
      graph_.nodes[chip].places.push_back({network, Place::Role::router, r, {}});
    }
  for (const Network::Cable& c : network->cables())
    graph_.links.push_back(
        {placed(c.wire, *network), router_end(*network, c.a, parts), router_end(*network, c.b, parts)});
  if (inside_nodes(*network)) return;
  for (int t = 0; t < network->terminals(); ++t) {
    const Network::Attachment& a = network->attachments()[static_cast<std::size_t>(t)];
    const End end = terminal_end(*network, t, parts);
    graph_.nodes[end.node].places.push_back({network, Place::Role::terminal, t, end.port});
    graph_.links.push_back({placed(a.wire, *network), end, router_end(*network, a.at, parts)});
  }
}

const Assembly::Member& Assembly::node_of(const Network& network, int terminal, const NodeParts& parts) const {
  const auto i = static_cast<std::size_t>(terminal + parts.first_node);
  if (i >= nodes_.size())
    throw config::error_at(network.pointer(), "the network has " + std::to_string(network.terminals()) +
                                                  " terminals from node " + std::to_string(parts.first_node) +
                                                  " on, but there are " + std::to_string(nodes_.size()) + " nodes");
  return nodes_[i];
}

std::uint32_t Assembly::device(const Member& node, const std::string& name, const std::string& pointer) const {
  const std::string& any = graph_.nodes[node.first].name;
  const std::string prefix = any.substr(0, any.find('.') + 1);
  std::vector<std::string> known;
  for (std::uint32_t i = node.first; i < node.end; ++i) {
    if (graph_.nodes[i].name.compare(prefix.size(), std::string::npos, name) == 0) return i;
    known.push_back(graph_.nodes[i].name.substr(prefix.size()));
  }
  throw config::error_at(pointer + "/attach",
                         "a node has no device \"" + name + "\"" + config::detail::did_you_mean(name, known));
}

End Assembly::router_end(const Network& network, RouterPort p, const NodeParts& parts) const {
  const std::string& port = network.port_name(p.router, p.port);
  if (!inside_nodes(network)) return {first_router_ + static_cast<std::uint32_t>(p.router), port};
  const Member& node = node_of(network, p.router, parts);
  return {node.group ? device(node, parts.attach, network.pointer()) : node.first, port};
}

End Assembly::terminal_end(const Network& network, int terminal, const NodeParts& parts) const {
  const Member& node = node_of(network, terminal, parts);
  if (!node.group) return {node.first, parts.attach.empty() ? "net" : parts.attach};
  const auto dot = parts.attach.rfind('.');
  if (dot == std::string::npos)
    throw config::error_at(
        network.pointer() + "/attach",
        "a node is a group of devices: \"attach\" must say device.port, not \"" + parts.attach + "\"");
  return {device(node, parts.attach.substr(0, dot), network.pointer()), parts.attach.substr(dot + 1)};
}

Graph assemble(Network built, const NodeParts& parts) {
  if (parts.terminal.empty() && parts.node.empty())
    throw config::error_at(built.pointer(), "missing required field \"node\" (what stands at every terminal place)");
  if (parts.first_node != 0)
    throw config::error_at(built.pointer() + "/first_node", "only a network among several begins at another node");
  const auto network = std::make_shared<const Network>(std::move(built));
  const bool plain = !parts.terminal.empty();
  Assembly all;
  all.add_routers(network);
  all.add_nodes({plain ? parts.terminal : parts.node, parts.overrides, plain ? "terminal" : "node", network->pointer()},
                network->terminals());
  all.wire_up(network, parts);
  return all.take();
}

}  // namespace tsunagi::topo
