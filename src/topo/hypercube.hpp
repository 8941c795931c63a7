// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/describe.hpp"
#include "topo/network.hpp"
#include "topo/parts.hpp"

namespace tsunagi::topo {

/// Routers at the corners of a cube of so many dimensions, wired along its edges; terminals at each.
struct HypercubeConfig {
  int dimensions = 3;
  int terminals = 1;
  NetworkParts parts;
};
void describe(HypercubeConfig& c, config::Describer& d);

/// Ports "d0", "d1", … lead to the router whose number differs in that bit, "t0", … to terminals. A packet mends the
/// bits in which it is wrong from the lowest on (e-cube routing: Sullivan and Bashkow, "A large scale, homogeneous,
/// fully distributed parallel machine", ISCA 1977): no wire of a dimension waits for one of a lower one, so nothing
/// deadlocks.
Network hypercube_network(const HypercubeConfig& c);

}  // namespace tsunagi::topo
