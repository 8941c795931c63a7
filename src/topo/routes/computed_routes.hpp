// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "topo/network.hpp"
#include "topo/routes/route_table.hpp"

namespace tsunagi::topo {

/// Over the fewest cables. Of n ports of a router that are equally good, in their order, packets for terminal t take
/// the one of number t modulo n. They may deadlock.
RouteTable shortest_routes(const Network& network);

/// A spanning tree's order of routers: by their distance from the root, those of one distance by their numbers. A cable
/// leads up to that of its ends which comes first.
class UpDown {
 public:
  UpDown(const Network& network, int root);
  bool is_up(int from, int to) const {
    return rank_[static_cast<std::size_t>(to)] < rank_[static_cast<std::size_t>(from)];
  }
  /// Routers, the root first.
  const std::vector<int>& order() const { return order_; }

 private:
  std::vector<int> order_;
  std::vector<int> rank_;  // by router
};

/// Up*/down* routes (Schroeder et al., "Autonet: a high-speed, self-configuring local area network using point-to-point
/// links", IEEE JSAC 9(8), 1991): a packet that has gone down never goes up again, so that no packets can wait for each
/// other in a circle. A router that reaches the destination by going only down does so over the fewest cables; another
/// one goes up, where the rest of the way is shortest: ways depend on the destination alone, and may be longer than the
/// shortest that the rule allows. Ports that are equally good share destinations as in `shortest_routes`.
RouteTable up_down_routes(const Network& network, int root);

/// A router that no cables join to router 0, or -1.
int cut_off(const Network& network);

}  // namespace tsunagi::topo
