// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "topo/dragonfly.hpp"

namespace tsunagi::topo {

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

}  // namespace tsunagi::topo
