// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "config/describe.hpp"
#include "topo/network.hpp"
#include "topo/parts.hpp"

namespace tsunagi::topo {

/// Any graph of equal routers, as its edges.
struct EdgeListConfig {
  std::vector<std::string> edges;
  int routers = 0;
  int ports = 0;
  int terminals = 1;
  std::vector<std::string> terminals_at;
  config::AnyConfig routes;
  NetworkParts parts;
};
void describe(EdgeListConfig& c, config::Describer& d);

/// An edge is "a b", with a rate, a length or a delay behind it, or a rate and one of these, in place of the wire's
/// own: "a b 8 GB/s 3 m", "a b 25 Gbps 15 ns". Its ends' ids are any words.
///  - Router: an id that is a number N becomes "routerN", another one is the router's name itself. Numbers come first,
///    in their order, then names in the order in which they appear.
///  - A router's ports are "p0", "p1", … for its edges in the order of the list, "t0", "t1", … for its terminals. Edges
///    may be parallel.
///  - `terminals` at each router, but as many as `terminals_at` says ("id number") at those that it names. Terminals
///  are
///    numbered router by router.
/// Throws config::ConfigError for what is no edge, for an edge from a router to itself, for more or fewer routers than
/// `routers` says (if not 0), more edges and terminals at a router than `ports` (if not 0), and what `set_routes`
/// refuses.
Network edge_list_network(const EdgeListConfig& c);

}  // namespace tsunagi::topo
