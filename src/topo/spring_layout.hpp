// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "topo/network.hpp"

namespace tsunagi::topo {

/// Where a picture may show the routers of an irregular network: cables pull their ends together, routers push each
/// other away (Fruchterman and Reingold, "Graph drawing by force-directed placement", Software: Practice and Experience
/// 21(11), 1991), for a fixed number of steps from a circle. None for networks so large that it would take its time.
std::vector<Network::Spot> spring_layout(const Network& network);

}  // namespace tsunagi::topo
