// SPDX-License-Identifier: Apache-2.0
#include "topo/grid_topologies.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace tsunagi::topo {

namespace {

void describe_parts(GridParts& p, config::Describer& d) {
  d.any("router", p.router, "device", "every router", config::required);
  d.any("terminal", p.terminal, "device", "what stands at every terminal place", config::required);
  d.any("wire", p.wire, "wire", "every wire between routers", config::required);
  d.any("terminal_wire", p.terminal_wire, "wire", "every wire between a terminal and its router; none: as `wire`");
}

void describe_terminals(int& terminals, config::Describer& d) {
  d.field("terminals", terminals, "terminals at each router", config::within(1, 64));
}

Graph build(Grid shape, const GridParts& parts) {
  Graph g;
  const auto grid = std::make_shared<const Grid>(std::move(shape));
  g.grid = grid;
  const auto routers = static_cast<std::size_t>(grid->routers());
  const auto terminals = static_cast<std::size_t>(grid->terminals());
  g.nodes.reserve(routers + terminals);
  g.links.reserve(routers * static_cast<std::size_t>(grid->dimensions()) + terminals);
  for (int r = 0; r < grid->routers(); ++r)
    g.nodes.push_back({"router" + std::to_string(r), parts.router, "/machine/topology/router", r});
  for (int t = 0; t < grid->terminals(); ++t)
    g.nodes.push_back({"terminal" + std::to_string(t), parts.terminal, "/machine/topology/terminal", t});
  for (int r = 0; r < grid->routers(); ++r) {
    for (int d = 0; d < grid->dimensions(); ++d) {
      const int up = Grid::port(d, true);
      const int next = grid->neighbour(r, up);
      if (next < 0) continue;
      g.links.push_back({{static_cast<std::uint32_t>(r), grid->port_name(up)},
                         {static_cast<std::uint32_t>(next), grid->port_name(Grid::port(d, false))},
                         parts.wire,
                         "/machine/topology/wire"});
    }
  }
  const config::AnyConfig& wire = parts.terminal_wire.empty() ? parts.wire : parts.terminal_wire;
  for (int t = 0; t < grid->terminals(); ++t)
    g.links.push_back({{static_cast<std::uint32_t>(grid->routers() + t), "net"},
                       {static_cast<std::uint32_t>(grid->router_of(t)), grid->port_name(grid->terminal_port(t))},
                       wire,
                       "/machine/topology/terminal_wire"});
  return g;
}

Graph build_grid(const GridConfig& c, bool wrap) {
  return build(Grid(std::vector<int>(c.sizes.begin(), c.sizes.end()), wrap, c.terminals), c.parts);
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

std::string too_many_terminals() {
  return "at most " + std::to_string(most_terminals) +
         " terminals in all: each is a rank, and the simulation kernel has no stacks for more";
}

}  // namespace

void describe(RingConfig& c, config::Describer& d) {
  d.field("nodes", c.nodes, "routers", config::within(2, most_terminals));
  describe_terminals(c.terminals, d);
  d.require(c.nodes * c.terminals <= most_terminals, too_many_terminals());
  describe_parts(c.parts, d);
}

void describe(GridConfig& c, config::Describer& d) {
  d.field("sizes", c.sizes, "routers along each dimension", config::within(1, 65536));
  describe_terminals(c.terminals, d);
  describe_parts(c.parts, d);
  d.require(sensible(c.sizes, c.terminals),
            "\"sizes\" needs 1 to 16 dimensions, each of at least one router, and " + too_many_terminals());
}

void describe(CrossbarConfig& c, config::Describer& d) {
  d.field("terminals", c.terminals, "terminals, each at a port of its own", config::within(2, 4096));
  describe_parts(c.parts, d);
}

Graph build_ring(const config::AnyConfig& any) {
  const auto& c = any.as<RingConfig>();
  return build(Grid({c.nodes}, true, c.terminals), c.parts);
}

Graph build_mesh(const config::AnyConfig& any) { return build_grid(any.as<GridConfig>(), false); }

Graph build_torus(const config::AnyConfig& any) { return build_grid(any.as<GridConfig>(), true); }

Graph build_crossbar(const config::AnyConfig& any) {
  const auto& c = any.as<CrossbarConfig>();
  return build(Grid({}, false, c.terminals), c.parts);
}

}  // namespace tsunagi::topo
