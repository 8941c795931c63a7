// SPDX-License-Identifier: Apache-2.0
#include "topo/crossbars.hpp"

#include <memory>
#include <string>
#include <utility>

#include "topo/crossbars_shape.hpp"
#include "topo/graph.hpp"

namespace tsunagi::topo {

namespace {

constexpr const char* axes = "xyz";
constexpr unsigned axis_bits = 16;

/// Coordinates of a node in one number, by which routes are found.
using Packed = std::uint64_t;
constexpr unsigned along(Packed node, unsigned shift) { return static_cast<unsigned>(node >> shift) & 0xffffu; }

Packed packed(const CrossbarsShape& shape, int node) {
  Packed out = 0;
  for (int d = 0; d < shape.dimensions(); ++d)
    out |= static_cast<Packed>(shape.coordinate(node, d)) << (axis_bits * static_cast<unsigned>(d));
  return out;
}

class CrossbarsRoutes final : public Routes {
 public:
  explicit CrossbarsRoutes(const CrossbarsShape& shape) : shape_(shape) {
    for (int n = 0; n < shape.nodes(); ++n) nodes_.push_back(packed(shape, n));
    if (shape.has_relays())
      for (const Packed n : nodes_) routers_.push_back({n, relay});
    for (const int d : shape.crossed())
      routers_.insert(routers_.end(), static_cast<std::size_t>(shape.lines(d)),
                      {0, axis_bits * static_cast<unsigned>(d)});
  }
  Hop next(int router, const Trip& trip) const override {
    const Router& at = routers_[static_cast<std::size_t>(router)];
    const Packed to = nodes_[trip.destination];
    if (at.shift != relay) return {static_cast<int>(along(to, at.shift))};
    const Packed wrong = at.node ^ to;
    if (wrong == 0) return {shape_.node_port()};
    int d = 0;
    while (along(wrong, axis_bits * static_cast<unsigned>(d)) == 0) ++d;
    return {d};
  }
  const CrossbarsShape& shape() const { return shape_; }

 private:
  static constexpr unsigned relay = ~0u;
  struct Router {
    Packed node;     // of a relay
    unsigned shift;  // of a crossbar, to its coordinate; or relay
  };
  CrossbarsShape shape_;
  std::vector<Packed> nodes_;
  std::vector<Router> routers_;
};

Network::PortNames crossbar_ports(int size) {
  std::vector<std::string> names;
  for (int p = 0; p < size; ++p) names.push_back("p" + std::to_string(p));
  return port_names(std::move(names));
}

void add_relays(Network& net, const CrossbarsShape& shape, const CrossbarsConfig& c) {
  std::vector<std::string> names;
  for (int d = 0; d < shape.dimensions(); ++d) names.emplace_back(1, axes[d]);
  names.emplace_back("n");
  const Network::PortNames ports = port_names(std::move(names));
  for (int n = 0; n < shape.nodes(); ++n) {
    const std::string name = "relay" + std::to_string(n);
    if (c.relay.empty())
      net.add_router(c.parts.router, ports, "/router", name);
    else
      net.add_router(c.relay, ports, "/relay", name);
  }
}

/// Where a picture shows things: relays at every other place of their plane, planes beside each other; an x-crossbar at
/// the left of its row, a y-crossbar above its column, the z-crossbars in a plane of their own below.
class Spots {
 public:
  explicit Spots(const CrossbarsShape& shape) : shape_(shape) {}
  Network::Spot relay(int node) const {
    const int z = coordinate(node, 2);
    return {2.0 * coordinate(node, 0) + z * plane(), 2.0 * coordinate(node, 1)};
  }
  /// Of the line along `d` that a node is on.
  Network::Spot crossbar(int d, int node) const {
    if (!shape_.has_relays()) return {};
    Network::Spot at = relay(node);
    if (d == 0) return {at.x - 2.0 * coordinate(node, 0) - 2, at.y + 1};
    if (d == 1) return {at.x + 1, -2};
    return {at.x + ((size(2) - 1) / 2.0 - coordinate(node, 2)) * plane() + 1, at.y + 2.0 * size(1) + 1};
  }

 private:
  int size(int d) const { return d < shape_.dimensions() ? shape_.size(d) : 1; }
  int coordinate(int node, int d) const { return d < shape_.dimensions() ? shape_.coordinate(node, d) : 0; }
  double plane() const { return 2.0 * size(0) + 3; }
  const CrossbarsShape& shape_;
};

/// One to three sizes, not more nodes in all than can be ranks.
bool sensible(const std::vector<std::int64_t>& sizes) {
  std::int64_t nodes = 1;
  for (const std::int64_t k : sizes) {
    if (k < 1 || k > most_terminals) return false;
    nodes *= k;
    if (nodes > most_terminals) return false;
  }
  return !sizes.empty() && sizes.size() <= 3;
}

}  // namespace

void describe(CrossbarsConfig& c, config::Describer& d) {
  d.field("sizes", c.sizes, "nodes along each of one to three dimensions, which is ports of its crossbars",
          config::within(1, 4096));
  d.any("relay", c.relay, "device", "every relay switch between a node and its crossbars; none: as `router`");
  describe_network(c.parts, d);
  d.require(sensible(c.sizes),
            "\"sizes\" needs one to three dimensions, each of at least one node, and " + too_many_terminals());
}

Network crossbars_network(const CrossbarsConfig& c) {
  const CrossbarsShape shape(c.sizes);
  Network net;
  std::vector<Network::Spot> spots;
  const Spots places(shape);
  if (shape.has_relays()) {
    add_relays(net, shape, c);
    for (int n = 0; n < shape.nodes(); ++n) spots.push_back(places.relay(n));
  }
  for (const int d : shape.crossed()) {
    const int first = net.routers();
    const Network::PortNames ports = crossbar_ports(shape.size(d));
    spots.resize(spots.size() + static_cast<std::size_t>(shape.lines(d)));
    for (int line = 0; line < shape.lines(d); ++line)
      net.add_router(c.parts.router, ports, "/router", axes[d] + std::to_string(line));
    for (int n = 0; n < shape.nodes(); ++n) {
      const RouterPort port{first + shape.line(n, d), shape.coordinate(n, d)};
      spots[static_cast<std::size_t>(port.router)] = places.crossbar(d, n);
      if (shape.has_relays())
        net.join({n, d}, port, c.parts.between_routers());
      else
        net.attach(port, c.parts.to_terminals());
    }
  }
  if (shape.has_relays())
    for (int n = 0; n < shape.nodes(); ++n) net.attach({n, shape.node_port()}, c.parts.to_terminals());
  net.set_routes(std::make_shared<const CrossbarsRoutes>(shape));
  net.set_box(c.sizes);
  net.set_spots(std::move(spots));
  return net;
}

const CrossbarsShape* crossbars_shape(const Network& network) {
  const auto* routes = dynamic_cast<const CrossbarsRoutes*>(&network.routes());
  return routes == nullptr ? nullptr : &routes->shape();
}

Topology crossbars_topology() {
  return of_network("crossbars", "nodes in a box, a crossbar along every line of them", crossbars_network);
}

}  // namespace tsunagi::topo
