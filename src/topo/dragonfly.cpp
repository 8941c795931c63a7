// SPDX-License-Identifier: Apache-2.0
#include "topo/dragonfly.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "topo/dragonfly_shape.hpp"
#include "topo/graph.hpp"
#include "topo/routes/dragonfly_routes.hpp"

namespace tsunagi::topo {

namespace {

constexpr int most_in_group = 4096;

/// What is wrong with the sizes; empty: nothing.
std::string size_error(const DragonflyConfig& c) {
  const DragonflyShape shape(c);
  if (shape.groups - 1 > shape.all_links())
    return std::to_string(shape.groups) + " groups, each with a link to every other, need " +
           std::to_string(shape.groups - 1) + " global links a group, but " + std::to_string(shape.routers) +
           " routers with " + std::to_string(shape.links) + " each have " + std::to_string(shape.all_links());
  if (shape.all_routers() * shape.each > most_terminals) return too_many_terminals();
  return shape.all_routers() * shape.ports() > most_ports ? too_many_ports() : std::string();
}

void join_group(Network& net, const DragonflyShape& shape, int group, const WireUse& wire) {
  const int first = group * shape.routers;
  for (int a = 0; a < shape.routers; ++a)
    for (int b = a + 1; b < shape.routers; ++b)
      net.join({first + a, shape.local_port(a, b)}, {first + b, shape.local_port(b, a)}, wire);
}

void join_groups(Network& net, const DragonflyShape& shape, const WireUse& wire) {
  const auto end = [&shape](int group, int link) {
    return RouterPort{group * shape.routers + link / shape.links, shape.first_global() + link % shape.links};
  };
  for (int group = 0; group < shape.groups; ++group)
    for (int layer = 0; layer < shape.parallel(); ++layer)
      for (int distance = 1; distance < shape.groups - group; ++distance) {
        const int first = layer * (shape.groups - 1);
        net.join(end(group, first + distance - 1), end(group + distance, first + shape.groups - distance - 1), wire);
      }
}

/// Number `i` of `n` on a circle, a step or more from each other.
Network::Spot on_circle(int i, int n, double step) {
  if (n == 1) return {};
  constexpr double pi = 3.14159265358979323846;
  const double radius = step / 2 / std::sin(pi / n);
  const double angle = 2 * pi * i / n - pi / 2;
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

/// Groups on a circle, a group's routers on a smaller one.
std::vector<Network::Spot> spots(const DragonflyShape& shape) {
  const double radius = std::hypot(on_circle(0, shape.routers, 1).x, on_circle(0, shape.routers, 1).y);
  std::vector<Network::Spot> out;
  for (int group = 0; group < shape.groups; ++group) {
    const Network::Spot centre = on_circle(group, shape.groups, 2 * radius + 2);
    for (int r = 0; r < shape.routers; ++r) {
      const Network::Spot at = on_circle(r, shape.routers, 1);
      out.push_back({centre.x + at.x, centre.y + at.y});
    }
  }
  return out;
}

}  // namespace

void describe(DragonflyConfig& c, config::Describer& d) {
  using namespace config;
  describe_terminals(c.terminals, d);
  d.field("routers", c.routers, "routers of a group, each joined to all others", within(1, most_in_group));
  d.field("global_links", c.global_links, "links of a router to other groups", within(0, most_in_group));
  d.field("groups", c.groups, "groups, each joined to all others; 0: as many as they have links for",
          within(0, most_terminals));
  d.choice(
      "routes", c.routes,
      {{"minimal", static_cast<std::int64_t>(DragonflyRouting::minimal), "over one global link"},
       {"valiant", static_cast<std::int64_t>(DragonflyRouting::valiant), "over a third group, drawn for each pair"},
       {"valiant_by_packet", static_cast<std::int64_t>(DragonflyRouting::valiant_by_packet),
        "over a third group, drawn for each packet"},
       {"ugal", static_cast<std::int64_t>(DragonflyRouting::ugal),
        "each packet the cheaper way of the two, by what waits at its router's outputs"}},
      "ways to other groups");
  describe(c.choice, d);
  d.any("global_wire", c.global_wire, "wire", "every wire between groups; none: as `wire`");
  describe_network(c.parts, d);
  const std::string size = size_error(c);
  d.require(size.empty(), size);
}

Network dragonfly_network(const DragonflyConfig& c) {
  const DragonflyShape shape(c);
  std::vector<std::string> names;
  for (int p = 0; p < shape.routers - 1; ++p) names.push_back("l" + std::to_string(p));
  for (int p = 0; p < shape.links; ++p) names.push_back("g" + std::to_string(p));
  for (int p = 0; p < shape.each; ++p) names.push_back("t" + std::to_string(p));
  const Network::PortNames ports = port_names(std::move(names));
  Network net;
  for (int r = 0; r < shape.all_routers(); ++r) net.add_router(c.parts.router, ports);
  for (int group = 0; group < shape.groups; ++group) join_group(net, shape, group, c.parts.between_routers());
  join_groups(net, shape, c.global_wire.empty() ? c.parts.between_routers() : WireUse{c.global_wire, "/global_wire"});
  for (int r = 0; r < shape.all_routers(); ++r)
    for (int t = 0; t < shape.each; ++t) net.attach({r, shape.first_terminal() + t}, c.parts.to_terminals());
  net.set_routes(dragonfly_routes(shape, c.routes, c.choice));
  net.set_spots(spots(shape));
  return net;
}

Topology dragonfly_topology() {
  return of_network("dragonfly", "groups of routers, all joined within a group, and all groups joined",
                    dragonfly_network);
}

}  // namespace tsunagi::topo
