// SPDX-License-Identifier: Apache-2.0
#include "topo/grid_topologies.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "topo/graph.hpp"
#include "topo/routes/grid_adaptive.hpp"
#include "topo/routes/grid_routes.hpp"

namespace tsunagi::topo {

namespace {

std::shared_ptr<const Routes> routes_of(const std::shared_ptr<const Grid>& grid, const GridRoutesConfig& c) {
  switch (c.routing) {
    case GridRouting::minimal_adaptive:
      return std::make_shared<const GridMinimalAdaptive>(grid);
    case GridRouting::valiant:
      return std::make_shared<const GridValiant>(grid, false, c.choice);
    case GridRouting::ugal:
      return std::make_shared<const GridValiant>(grid, true, c.choice);
    case GridRouting::dimension_order:
      break;
  }
  return std::make_shared<const GridRoutes>(grid);
}

Network build(Grid shape, const GridRoutesConfig& routes, const NetworkParts& parts) {
  const auto grid = std::make_shared<const Grid>(std::move(shape));
  Network net;
  std::vector<std::string> names;
  for (int p = 0; p < grid->ports(); ++p) names.push_back(grid->port_name(p));
  const Network::PortNames ports = port_names(std::move(names));
  for (int r = 0; r < grid->routers(); ++r) net.add_router(parts.router, ports);
  for (int r = 0; r < grid->routers(); ++r)
    for (int d = 0; d < grid->dimensions(); ++d) {
      const int up = Grid::port(d, true);
      const int next = grid->neighbour(r, up);
      if (next >= 0) net.join({r, up}, {next, Grid::port(d, false)}, parts.between_routers());
    }
  for (int t = 0; t < grid->terminals(); ++t)
    net.attach({grid->router_of(t), grid->terminal_port(t)}, parts.to_terminals());
  net.set_routes(routes_of(grid, routes));
  net.set_grid(grid);
  std::vector<std::int64_t> box;
  for (int d = 0; d < grid->dimensions(); ++d) box.push_back(grid->size(d));
  net.set_box(std::move(box));
  return net;
}

Network build_grid(const GridConfig& c, bool wrap) {
  return build(Grid(std::vector<int>(c.sizes.begin(), c.sizes.end()), wrap, c.terminals), c.routes, c.parts);
}

/// One to 16 sizes, each from 1 on, not more terminals in all than can be ranks.
bool sensible(const std::vector<std::int64_t>& sizes, std::int64_t terminals) {
  if (sizes.size() > 16) return false;
  for (const std::int64_t k : sizes) {
    if (k < 1 || k > most_terminals) return false;
    terminals *= k;
    if (terminals > most_terminals) return false;
  }
  return !sizes.empty();
}

}  // namespace

void describe(GridRoutesConfig& c, config::Describer& d) {
  d.choice("routes", c.routing,
           {{"dimension_order", static_cast<std::int64_t>(GridRouting::dimension_order), "dimension after dimension"},
            {"minimal_adaptive", static_cast<std::int64_t>(GridRouting::minimal_adaptive),
             "each hop in whichever of the dimensions left least waits for"},
            {"valiant", static_cast<std::int64_t>(GridRouting::valiant), "over a router drawn for each packet"},
            {"ugal", static_cast<std::int64_t>(GridRouting::ugal),
             "each packet minimal or over a router drawn for it, by what waits at its first router's outputs"}},
           "ways through the network");
  describe(c.choice, d);
}

void describe(RingConfig& c, config::Describer& d) {
  d.field("nodes", c.nodes, "routers", config::within(2, most_terminals));
  describe_terminals(c.terminals, d);
  d.require(c.nodes * c.terminals <= most_terminals, too_many_terminals());
  describe(c.routes, d);
  describe_network(c.parts, d);
}

void describe(GridConfig& c, config::Describer& d) {
  d.field("sizes", c.sizes, "routers along each dimension", config::within(1, 65536));
  describe_terminals(c.terminals, d);
  describe(c.routes, d);
  describe_network(c.parts, d);
  d.require(sensible(c.sizes, c.terminals),
            "\"sizes\" needs 1 to 16 dimensions, each of at least one router, and " + too_many_terminals());
}

void describe(CrossbarConfig& c, config::Describer& d) {
  d.field("terminals", c.terminals, "terminals, each at a port of its own", config::within(2, 4096));
  describe_network(c.parts, d);
}

Network ring_network(const RingConfig& c) { return build(Grid({c.nodes}, true, c.terminals), c.routes, c.parts); }

Network mesh_network(const GridConfig& c) { return build_grid(c, false); }

Network torus_network(const GridConfig& c) { return build_grid(c, true); }

Network crossbar_network(const CrossbarConfig& c) { return build(Grid({}, false, c.terminals), {}, c.parts); }

Topology ring_topology() { return of_network("ring", "routers in a ring, terminals at each", ring_network); }

Topology mesh_topology() {
  return of_network("mesh", "routers in a mesh of any dimensions, terminals at each", mesh_network);
}

Topology torus_topology() {
  return of_network("torus", "routers in a torus of any dimensions, terminals at each", torus_network);
}

Topology crossbar_topology() { return of_network("crossbar", "one router between all terminals", crossbar_network); }

}  // namespace tsunagi::topo
