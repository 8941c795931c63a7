// SPDX-License-Identifier: Apache-2.0
// Machines as their authors write them, of parts that are only numbers. Pure.
#pragma once

#include <string>

#include "config/config.hpp"
#include "topo/graph.hpp"
#include "topo/graphs/explicit.hpp"
#include "topo/routes/catalog.hpp"

namespace tsunagi::test {

struct PartConfig {
  int number = 0;
};
inline void describe(PartConfig& c, config::Describer& d) { d.field("number", c.number, "to tell parts apart"); }

struct TopologyHolder {
  config::AnyConfig topology;
};
inline void describe(TopologyHolder& c, config::Describer& d) {
  d.any("topology", c.topology, "topology", "a topology", config::required);
}

/// The graph of a topology's JSON text; devices are of kind "part" or "group", wires of kind "cable".
inline topo::Graph graph_of_text(const std::string& topology) {
  config::Kinds kinds;
  kinds.add({"device",
             {config::kind<PartConfig>("part", "a part"), config::kind<topo::GroupConfig>("group", "parts"),
              config::kind<topo::BoxConfig>("box", "a network")}});
  kinds.add({"wire", {config::kind<PartConfig>("cable", "a cable")}});
  config::KindTable topologies{"topology", {}};
  for (const topo::Topology& t : topo::catalog()) topologies.kinds.push_back(t.kind);
  kinds.add(topologies);
  config::KindTable routes{"routes", {}};
  for (const topo::RoutesKind& r : topo::routes_catalog()) routes.kinds.push_back(r.kind);
  kinds.add(routes);
  const auto document = config::parse("{\"topology\": " + topology + "}", "machine.json");
  return topo::build(config::read<TopologyHolder>(document, kinds).topology);
}

/// What is wrong with it: "/machine/topology/links/0: …".
inline std::string graph_failure(const std::string& topology) {
  try {
    graph_of_text(topology);
  } catch (const config::ConfigError& e) {
    return e.messages().front().pointer + ": " + e.messages().front().text;
  }
  return "no error";
}

/// The text of a regular topology with those fields: routers are parts 1, terminals 2, wires 3; `more` fields follow.
inline std::string regular_text(const std::string& kind, const std::string& fields, const std::string& more = "") {
  return R"({"kind": ")" + kind + "\", " + fields +
         R"(, "router": {"kind": "part", "number": 1}, "terminal": {"kind": "part", "number": 2},)" +
         R"("wire": {"kind": "cable", "number": 3})" + more + "}";
}
inline topo::Graph built(const std::string& kind, const std::string& fields, const std::string& more = "") {
  return graph_of_text(regular_text(kind, fields, more));
}
/// Why it is refused, as `graph_failure` says it.
inline std::string refusal(const std::string& kind, const std::string& fields) {
  return graph_failure(regular_text(kind, fields));
}

/// A wire's two ends as their devices and ports are called.
inline std::string ends_of(const topo::Graph& g, const topo::Link& l) {
  return g.nodes[l.a.node].name + "." + l.a.port + " " + g.nodes[l.b.node].name + "." + l.b.port;
}

}  // namespace tsunagi::test
