// SPDX-License-Identifier: Apache-2.0
// Networks by hand, and what holds for the routes of all of them. Pure.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "models/router/routing.hpp"
#include "topo/grid_topologies.hpp"
#include "topo/network.hpp"
#include "topo/routes/deadlock.hpp"

namespace tsunagi::test {

using SharedNetwork = std::shared_ptr<const topo::Network>;

inline SharedNetwork share(topo::Network n) { return std::make_shared<const topo::Network>(std::move(n)); }

/// A mesh or a torus; without sizes a crossbar.
inline SharedNetwork grid_network(const std::vector<int>& sizes, bool wrap, int terminals = 1,
                                  const topo::GridRoutesConfig& routes = {}) {
  if (sizes.empty()) return share(topo::crossbar_network({terminals, {}}));
  const topo::GridConfig c{{sizes.begin(), sizes.end()}, terminals, routes, {}};
  return share(wrap ? topo::torus_network(c) : topo::mesh_network(c));
}

/// Calls `visit(router, hop with its virtual channel)` along a route.
template <class Visit>
void walk(const router::Routing& routing, int virtual_channels, int source, int destination, Visit&& visit) {
  const router::Header h = router::header_of(source, destination, virtual_channels);
  routing.network().walk(source, destination, [&](int at, topo::Hop) { visit(at, routing.next(at, h)); });
}

/// Links on the way, the terminals' included.
inline int wires_between(const topo::Network& network, int from, int to) {
  int wires = 1;
  network.walk(from, to, [&wires](int, topo::Hop) { ++wires; });
  return wires;
}

/// Wires between each router and router `from`; -1: there is no way.
inline std::vector<int> distances(const topo::Network& network, int from) {
  std::vector<int> out(static_cast<std::size_t>(network.routers()), -1);
  std::vector<int> reached = {from};
  out[static_cast<std::size_t>(from)] = 0;
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (int p = 0; p < network.ports(reached[i]); ++p) {
      const topo::Network::Peer& peer = network.peer(reached[i], p);
      if (peer.kind != topo::Network::Peer::Kind::router || out[static_cast<std::size_t>(peer.number)] >= 0) continue;
      out[static_cast<std::size_t>(peer.number)] = out[static_cast<std::size_t>(reached[i])] + 1;
      reached.push_back(peer.number);
    }
  return out;
}

/// Whether every route has as few wires as there can be.
inline bool all_minimal(const topo::Network& network) {
  for (int from = 0; from < network.terminals(); ++from) {
    const std::vector<int> least = distances(network, network.router_of(from));
    for (int to = 0; to < network.terminals(); ++to)
      if (wires_between(network, from, to) != least[static_cast<std::size_t>(network.router_of(to))] + 2) return false;
  }
  return true;
}

/// Of any two routers in a picture, in steps.
inline double least_distance(const std::vector<topo::Network::Spot>& spots) {
  double least = std::numeric_limits<double>::max();
  for (std::size_t i = 0; i < spots.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      least = std::min(least, std::hypot(spots[i].x - spots[j].x, spots[i].y - spots[j].y));
  return least;
}

/// Whether the virtual channels of all router outputs, and of the wires from terminals, can wait for each other in a
/// circle, over all pairs.
inline bool can_deadlock(const SharedNetwork& network, int virtual_channels, bool classes = true) {
  const router::Routing routing(network, virtual_channels, classes);
  const auto number = [&](std::size_t wire, flow::FlowClass vc) {
    return static_cast<std::uint32_t>(wire * static_cast<std::size_t>(virtual_channels) + vc);
  };
  const auto terminals = static_cast<std::size_t>(network->terminals());
  std::vector<topo::Dependency> all;
  for (int from = 0; from < network->terminals(); ++from) {
    for (int to = 0; to < network->terminals(); ++to) {
      auto held = number(network->all_ports() + static_cast<std::size_t>(from),
                         router::header_of(from, to, virtual_channels).vc);
      walk(routing, virtual_channels, from, to, [&](int at, router::Hop hop) {
        const auto wanted = number(network->port_index(at, hop.port), hop.vc);
        all.push_back({held, wanted});
        held = wanted;
      });
    }
  }
  return !topo::dependency_cycle(number(network->all_ports() + terminals, 0), all).empty();
}

}  // namespace tsunagi::test
