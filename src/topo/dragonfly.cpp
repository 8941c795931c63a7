// SPDX-License-Identifier: Apache-2.0
#include "topo/dragonfly.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tsunagi::topo {

namespace {

constexpr int most_in_group = 4096;

/// The network's measures.
struct DragonflyShape {
  int each;     // p: terminals of a router
  int routers;  // a: of a group
  int links;    // h: global ones of a router
  int groups;   // g

  explicit DragonflyShape(const DragonflyConfig& c)
      : each(c.terminals), routers(c.routers), links(c.global_links), groups(c.groups) {
    if (groups == 0) groups = all_links() + 1;
  }
  int all_links() const { return routers * links; }
  /// Between two groups.
  int parallel() const { return groups > 1 ? all_links() / (groups - 1) : 0; }
  int first_global() const { return routers - 1; }
  int first_terminal() const { return routers - 1 + links; }
  int ports() const { return first_terminal() + each; }
  /// Of the router, to another one of its group.
  int local_port(int from, int to) const { return to < from ? to : to - 1; }
  std::int64_t all_routers() const { return std::int64_t{groups} * routers; }
};

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

class DragonflyRoutes : public Routes {
 public:
  DragonflyRoutes(const DragonflyShape& shape, std::int64_t seed) : seed_(static_cast<std::uint32_t>(seed)) {
    groups_ = static_cast<std::uint32_t>(shape.groups);
    parallel_ = static_cast<std::uint32_t>(shape.parallel());
    for (int r = 0; r < shape.all_routers(); ++r) {
      routers_.push_back(
          {static_cast<std::uint16_t>(r / shape.routers), static_cast<std::uint16_t>(r % shape.routers)});
      for (int t = 0; t < shape.each; ++t)
        terminals_.push_back({routers_.back(), static_cast<std::uint16_t>(shape.first_terminal() + t)});
    }
    for (int j = 0; j < shape.all_links(); ++j)
      gateways_.push_back({static_cast<std::uint16_t>(j / shape.links),
                           static_cast<std::uint16_t>(shape.first_global() + j % shape.links)});
  }

 protected:
  struct Router {
    std::uint16_t group;
    std::uint16_t number;  // in its group
  };
  struct Terminal {
    Router at;
    std::uint16_t port;
  };
  const Router& router(int r) const { return routers_[static_cast<std::size_t>(r)]; }
  const Terminal& terminal(std::uint32_t t) const { return terminals_[t]; }
  std::uint32_t groups() const { return groups_; }
  std::uint32_t draw(const Trip& trip) const { return mix_of(trip.mix, seed_); }

  /// From a router to a terminal of its group.
  static Hop arrive(Router at, const Terminal& to, int channel_class) {
    if (at.number == to.at.number) return {to.port};
    return {local(at, to.at.number), channel_class};
  }
  /// On the way to another group, by a link that the pair's mix draws.
  Hop leave(Router at, std::uint32_t group, const Trip& trip, int local_class, int global_class) const {
    const std::uint32_t distance = group - at.group + (group < at.group ? groups_ : 0);
    std::uint32_t j = distance - 1;
    if (parallel_ > 1) j += (groups_ - 1) * pick_of(parallel_, mix_of(trip.mix, ~seed_));
    const Gateway& way = gateways_[j];
    if (way.router == at.number) return {way.port, global_class};
    return {local(at, way.router), local_class};
  }

 private:
  struct Gateway {
    std::uint16_t router;  // in its group
    std::uint16_t port;
  };
  static int local(Router at, std::uint16_t to) { return to - (to > at.number ? 1 : 0); }

  std::uint32_t groups_;
  std::uint32_t parallel_;  // links between two groups
  std::uint32_t seed_;
  std::vector<Router> routers_;
  std::vector<Terminal> terminals_;
  std::vector<Gateway> gateways_;  // by global link of a group
};

class MinimalRoutes final : public DragonflyRoutes {
 public:
  using DragonflyRoutes::DragonflyRoutes;
  Hop next(int r, const Trip& trip) const override {
    const Router at = router(r);
    const Terminal& to = terminal(trip.destination);
    if (at.group != to.at.group) return leave(at, to.at.group, trip, 0, Hop::any_class);
    return arrive(at, to, terminal(trip.source).at.group == at.group ? Hop::any_class : 1);
  }
  int classes() const override { return groups() > 1 ? 2 : 1; }
};

/// Of three groups or more.
class ValiantRoutes final : public DragonflyRoutes {
 public:
  using DragonflyRoutes::DragonflyRoutes;
  Hop next(int r, const Trip& trip) const override {
    const Router at = router(r);
    const std::uint32_t from = terminal(trip.source).at.group;
    const Terminal& to = terminal(trip.destination);
    if (at.group == to.at.group) return arrive(at, to, from == at.group ? Hop::any_class : 2);
    if (at.group != from) return leave(at, to.at.group, trip, 1, 1);
    return leave(at, third_group(from, to.at.group, trip), trip, 0, 0);
  }
  int classes() const override { return 3; }

 private:
  /// Neither of two, all others alike.
  std::uint32_t third_group(std::uint32_t from, std::uint32_t to, const Trip& trip) const {
    std::uint32_t other = pick_of(groups() - 2, draw(trip));
    if (other >= std::min(from, to)) ++other;
    if (other >= std::max(from, to)) ++other;
    return other;
  }
};

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
       {"valiant", static_cast<std::int64_t>(DragonflyRouting::valiant), "over a third group, drawn for each pair"}},
      "ways to other groups");
  d.field("seed", c.seed, "of what is drawn", within(0, 1'000'000'000));
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
  if (c.routes == DragonflyRouting::minimal || shape.groups <= 2)
    net.set_routes(std::make_shared<const MinimalRoutes>(shape, c.seed));
  else
    net.set_routes(std::make_shared<const ValiantRoutes>(shape, c.seed));
  net.set_spots(spots(shape));
  return net;
}

}  // namespace tsunagi::topo
