// SPDX-License-Identifier: Apache-2.0
// Networks whose routes choose. Pure.
#pragma once

#include <utility>
#include <vector>

#include "support/topo/networks.hpp"
#include "topo/dragonfly.hpp"
#include "topo/fat_tree.hpp"
#include "topo/routes/adaptive.hpp"

namespace tsunagi::test {

inline SharedNetwork adaptive_dragonfly(int terminals, int routers, int links, int groups,
                                        topo::DragonflyRouting routing) {
  return share(topo::dragonfly_network({terminals, routers, links, groups, routing, {1, 0}, {}, {}}));
}
inline SharedNetwork adaptive_fat_tree(int radix, int levels, std::vector<std::int64_t> taper = {}) {
  return share(topo::fat_tree_network({radix, levels, 0, std::move(taper), topo::UpRoutes::adaptive, 1, {}, {}}));
}
inline SharedNetwork adaptive_grid(const std::vector<int>& sizes, bool wrap, topo::GridRouting routing,
                                   int terminals = 1) {
  return grid_network(sizes, wrap, terminals, {routing, {1, 0}});
}

}  // namespace tsunagi::test
