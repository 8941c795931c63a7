// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "config/describe.hpp"
#include "topo/network.hpp"
#include "topo/parts.hpp"
#include "topo/routes/choice.hpp"

namespace tsunagi::topo {

enum class DragonflyRouting : std::uint8_t { minimal, valiant, valiant_by_packet, ugal };

/// A dragonfly of `groups` groups of `routers` routers, each with `terminals` terminals and `global_links` links to
/// other groups: g, a, p and h of the paper.
struct DragonflyConfig {
  int terminals = 2;
  int routers = 4;
  int global_links = 2;
  int groups = 0;  // 0: as many as each can have a link to: a h + 1
  DragonflyRouting routes = DragonflyRouting::minimal;
  ChoiceConfig choice;
  config::AnyConfig global_wire;  // empty: as between routers of a group
  NetworkParts parts;
};
void describe(DragonflyConfig& c, config::Describer& d);

/// Kim, Dally, Scott and Abts, "Technology-Driven, Highly-Scalable Dragonfly Topology", ISCA 2008. Routers of a group
/// are joined all with all; ports of a router are "l0" .. to the others, "g0" .. to other groups, "t0" .. to terminals.
/// Routers and terminals are numbered group after group.
///
/// Global link j of a group (of the a h, counted by routers) leads to the group that is 1 + j mod (g - 1) further on,
/// round the end ("relative" arrangement: Hastings et al., CLUSTER 2015). So every two groups have floor(a h / (g - 1))
/// links between them, and links that do not go round are left out. A pair's mix draws one of them.
///
/// Routes:
///  - `minimal`: to the router with the link, over it, to the destination's router.
///  - `valiant`: the same to a third group, drawn by pair and seed, and from there on. Within a group, or where there
///    are only two, minimal.
///  - `valiant_by_packet`: the third group is drawn for each packet (Valiant and Brebner, STOC 1981).
///  - `ugal`: at its first router a packet takes the way over a third group, drawn as above, if that is cheaper than
///  the
///    minimal one by more than `threshold`: flits that wait for the output times hops (UGAL-L of the paper, section 4).
/// A packet that has passed n global links takes class n on local and global links: before a global link 0, behind the
/// first 1, behind a second 2. All that it holds while it waits is of a lower class, or the local link of the same
/// class before the global one. So no circle of waiting can close with a class for each stage: two for minimal routes,
/// three for the others. The only hop within a group holds nothing but the terminal's wire, and takes any virtual
/// channel, as do minimal routes' global links, which hold class 0 and want class 1.
Network dragonfly_network(const DragonflyConfig& c);

}  // namespace tsunagi::topo
