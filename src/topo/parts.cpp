// SPDX-License-Identifier: Apache-2.0
#include "topo/parts.hpp"

namespace tsunagi::topo {

std::string too_many_terminals() {
  return "at most " + std::to_string(most_terminals) +
         " terminals in all: each is a rank, and the simulation kernel has no stacks for more";
}

void describe_overrides(Overrides& o, config::Describer& d) {
  d.any_map("overrides", o, "device", "nodes that are not like the others, by name: {\"node3\": …}");
}

void describe(CableConfig& c, config::Describer& d) {
  using namespace config;
  d.field("rate", c.rate, "bytes a second in each direction, in place of the wire's; infinite: as the wire says",
          at_least(slowest_cable));
  d.field("length", c.length, "of the cable, at 5 ns a metre, in place of the wire's flight; 0 m: as the wire says",
          at_most(longest_cable));
}

WireUse cabled(WireUse use, const CableConfig& c) {
  if (!c.rate.is_infinite()) use.rate = c.rate;
  if (c.length != Length::zero()) use.flight = signal_time(c.length);
  return use;
}

std::string too_many_ports() { return "at most " + std::to_string(most_ports) + " ports of routers in all"; }

void describe_nodes(NodeParts& p, config::Describer& d) {
  d.any("node", p.node, "device", "what stands at every terminal place: a device, or a group of them");
  d.field("attach", p.attach, "port of the node that the network is wired to; of a group device.port; none: \"net\"");
  d.field("first_node", p.first_node, "in \"networks\": number of the node at terminal 0",
          config::within(0, most_terminals));
  describe_overrides(p.overrides, d);
}

void describe_network(NetworkParts& p, config::Describer& d) {
  d.any("router", p.router, "device", "every router", config::required);
  d.any("terminal", p.terminal, "device", "in place of \"node\": a terminal and nothing else at every place");
  d.any("wire", p.wire, "wire", "every wire between routers", config::required);
  d.any("terminal_wire", p.terminal_wire, "wire", "every wire between a terminal and its router; none: as `wire`");
  describe_nodes(p, d);
  d.require(p.terminal.empty() || p.node.empty(), "either \"terminal\" or \"node\" stands at the terminal places");
}

void describe_terminals(int& terminals, config::Describer& d) {
  d.field("terminals", terminals, "terminals at each router", config::within(1, 64));
}

}  // namespace tsunagi::topo
