// SPDX-License-Identifier: Apache-2.0
#include "topo/hypercube.hpp"

#include <memory>
#include <string>
#include <vector>

#include "topo/graph.hpp"

namespace tsunagi::topo {

namespace {

class ECube final : public Routes {
 public:
  ECube(int dimensions, int terminals) : dimensions_(dimensions), terminals_(terminals) {}
  Hop next(int router, const Trip& trip) const override {
    const int destination = static_cast<int>(trip.destination);
    for (int d = 0, wrong = router ^ destination / terminals_; d < dimensions_; ++d)
      if (wrong >> d & 1) return {d};
    return {dimensions_ + destination % terminals_};
  }

 private:
  int dimensions_;
  int terminals_;
};

/// The first three dimensions as one draws a cube, further ones as copies beside and below.
Network::Spot spot(int router, int dimensions) {
  constexpr Network::Spot steps[] = {{1.5, 0}, {0, 1.5}, {0.6, -0.6}};
  Network::Spot at;
  for (int d = 0; d < dimensions; ++d) {
    const double copies = 3.0 * (1 << d / 2 >> 1);
    const Network::Spot step = d < 3 ? steps[d] : d % 2 == 1 ? Network::Spot{copies, 0} : Network::Spot{0, copies / 2};
    at.x += (router >> d & 1) * step.x;
    at.y += (router >> d & 1) * step.y;
  }
  return at;
}

}  // namespace

void describe(HypercubeConfig& c, config::Describer& d) {
  d.field("dimensions", c.dimensions, "of the cube: 2 to the power of them are the routers", config::within(1, 14));
  describe_terminals(c.terminals, d);
  describe_network(c.parts, d);
  d.require((std::int64_t{c.terminals} << c.dimensions) <= most_terminals, too_many_terminals());
}

Network hypercube_network(const HypercubeConfig& c) {
  const int routers = 1 << c.dimensions;
  std::vector<std::string> names;
  for (int d = 0; d < c.dimensions; ++d) names.push_back("d" + std::to_string(d));
  for (int t = 0; t < c.terminals; ++t) names.push_back("t" + std::to_string(t));
  const Network::PortNames ports = port_names(std::move(names));
  Network net;
  std::vector<Network::Spot> spots;
  for (int r = 0; r < routers; ++r) {
    net.add_router(c.parts.router, ports);
    spots.push_back(spot(r, c.dimensions));
  }
  for (int r = 0; r < routers; ++r)
    for (int d = 0; d < c.dimensions; ++d)
      if (const int next = r ^ 1 << d; next > r) net.join({r, d}, {next, d}, c.parts.between_routers());
  for (int t = 0; t < routers * c.terminals; ++t)
    net.attach({t / c.terminals, c.dimensions + t % c.terminals}, c.parts.to_terminals());
  net.set_routes(std::make_shared<const ECube>(c.dimensions, c.terminals));
  net.set_box(std::vector<std::int64_t>(static_cast<std::size_t>(c.dimensions), 2));
  net.set_spots(std::move(spots));
  return net;
}

Topology hypercube_topology() {
  return of_network("hypercube", "routers at the corners of a hypercube, terminals at each", hypercube_network);
}

}  // namespace tsunagi::topo
