// SPDX-License-Identifier: Apache-2.0
// Machines to draw, without models.
#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "topo/graphs/explicit.hpp"

namespace tsunagi::test {

struct DrawnPart {
  int number = 0;
};
inline void describe(DrawnPart& c, config::Describer& d) { d.field("number", c.number, "to tell parts apart"); }

struct DrawnPcie {
  TransferRate rate{5'000'000'000};
  int lanes = 8;
};
inline void describe(DrawnPcie& c, config::Describer& d) {
  d.field("rate", c.rate, "transfers a second");
  d.field("lanes", c.lanes, "lanes");
}

struct DrawnLink {
  Rate bandwidth = Rate::bytes_per_second(16'000'000'000);
};
inline void describe(DrawnLink& c, config::Describer& d) { d.field("bandwidth", c.bandwidth, "rate"); }

struct DrawnMachine {
  config::AnyConfig topology;
};
inline void describe(DrawnMachine& c, config::Describer& d) {
  d.any("topology", c.topology, "topology", "a topology", config::required);
}

/// The graph of a topology as JSON text; devices "part", "router", "terminal", wires "pcie", "link".
inline topo::Graph drawn_graph(const std::string& topology) {
  config::Kinds kinds;
  kinds.add({"device",
             {config::kind<DrawnPart>("part", ""), config::kind<DrawnPart>("router", ""),
              config::kind<DrawnPart>("terminal", ""), config::kind<topo::GroupConfig>("group", "")}});
  kinds.add({"wire", {config::kind<DrawnPcie>("pcie", ""), config::kind<DrawnLink>("link", "")}});
  config::KindTable topologies{"topology", {}};
  for (const topo::Topology& t : topo::catalog()) topologies.kinds.push_back(t.kind);
  kinds.add(topologies);
  const config::Document document = config::parse("{\"topology\": " + topology + "}", "machine.json");
  return topo::build(config::read<DrawnMachine>(document, kinds).topology);
}

/// A ring, mesh, torus or crossbar; `size`: its own fields, "\"nodes\": 16".
inline topo::Graph regular(const std::string& kind, const std::string& size) {
  return drawn_graph("{\"kind\": \"" + kind + "\", " + size +
                     R"(, "router": {"kind": "router"}, "terminal": {"kind": "terminal"}, "wire": {"kind": "link"}})");
}

/// `nodes` groups "node0", … of a chip, a root complex, a core and a memory, and loose devices "switch0", …; `links`
/// join "node0.chip" or "switch0".
inline topo::Graph clustered(int nodes, int switches, const std::vector<std::pair<std::string, std::string>>& links) {
  std::string devices;
  const auto add = [](std::string& list, const std::string& text) { list += (list.empty() ? "" : ", ") + text; };
  for (int n = 0; n < nodes; ++n)
    add(devices, "\"node" + std::to_string(n) + R"(": {"kind": "group", "devices": {"chip": {"kind": "part"},
      "rc": {"kind": "part"}, "core": {"kind": "part"}, "memory": {"kind": "part"}}, "links": [
      {"ends": ["chip.n", "rc.slot"], "wire": {"kind": "pcie"}}, {"ends": ["rc.core", "core.bus"], "wire": {"kind": "link"}},
      {"ends": ["rc.memory", "memory.bus"], "wire": {"kind": "link"}}]})");
  for (int s = 0; s < switches; ++s) add(devices, "\"switch" + std::to_string(s) + R"(": {"kind": "router"})");
  std::string wires;
  for (const auto& [a, b] : links)
    add(wires, R"({"ends": [")" + a + ".p\", \"" + b + R"(.p"], "wire": {"kind": "pcie"}})");
  return drawn_graph(R"({"kind": "explicit", "devices": {)" + devices + R"(}, "links": [)" + wires + "]}");
}

inline std::string chip(int node) { return "node" + std::to_string(node) + ".chip"; }
inline std::string spine(int number) { return "switch" + std::to_string(number); }

/// `nodes` groups in a ring or a line.
inline topo::Graph chain(int nodes, bool closed) {
  std::vector<std::pair<std::string, std::string>> links;
  for (int n = 0; n + (closed ? 0 : 1) < nodes; ++n) links.emplace_back(chip(n), chip((n + 1) % nodes));
  return clustered(nodes, 0, links);
}

/// Two rings of `length` groups, joined place by place.
inline topo::Graph two_rings(int length) {
  std::vector<std::pair<std::string, std::string>> links;
  for (int n = 0; n < length; ++n)
    for (const int first : {0, length}) links.emplace_back(chip(first + n), chip(first + (n + 1) % length));
  for (int n = 0; n < length; ++n) links.emplace_back(chip(n), chip(n + length));
  return clustered(2 * length, 0, links);
}

/// `nodes` groups at one switch.
inline topo::Graph star(int nodes) {
  std::vector<std::pair<std::string, std::string>> links;
  for (int n = 0; n < nodes; ++n) links.emplace_back(chip(n), spine(0));
  return clustered(nodes, 1, links);
}

/// Two groups at each of `leaves` switches, these at each of `roots` more.
inline topo::Graph tree(int leaves, int roots) {
  std::vector<std::pair<std::string, std::string>> links;
  for (int n = 0; n < 2 * leaves; ++n) links.emplace_back(chip(n), spine(n / 2));
  for (int r = 0; r < roots; ++r)
    for (int l = 0; l < leaves; ++l) links.emplace_back(spine(l), spine(leaves + r));
  return clustered(2 * leaves, leaves + roots, links);
}

/// The same of single devices: `each` hosts at each leaf.
inline topo::Graph plain_tree(int leaves, int roots, int each) {
  std::vector<std::pair<std::string, std::string>> links;
  for (int l = 0; l < leaves; ++l) {
    for (int r = 0; r < roots; ++r) links.emplace_back(spine(l), spine(leaves + r));
    for (int h = 0; h < each; ++h) links.emplace_back(spine(l), spine(leaves + roots + l * each + h));
  }
  return clustered(0, leaves + roots + leaves * each, links);
}

}  // namespace tsunagi::test
