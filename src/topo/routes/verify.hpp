// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topo/network.hpp"

namespace tsunagi::topo {

/// A pair of terminals whose packets do not arrive.
struct LostPair {
  int source = 0;
  int destination = 0;
  /// Routers on the way, as far as they get; of those who go in a circle the last one is there twice.
  std::vector<int> way;
  /// They leave the last router by this port, to nowhere or to another terminal; -1: the routes name none.
  int port = -1;
  bool circle = false;
};

/// What is wrong with a network's routes. Pure; takes the destinations one after the other, and of routes that depend
/// on more than the destination all pairs.
struct Verdict {
  /// The first pair that does not arrive; the rest was not looked at then.
  std::optional<LostPair> lost;
  /// Outputs of routers of which packets may hold each and wait for the next, round in a circle; empty: they cannot
  /// (Dally and Seitz, 1987, see `dependency_cycle`).
  std::vector<RouterPort> circle;
};
/// `classes`: routers keep the classes of virtual channels apart that the routes ask for.
Verdict verify(const Network& network, bool classes = true);

/// "packets from h0 to h3 go round in a circle: s0, s1, s0". Terminals are called `names`.
std::string lost_text(const Network& network, const LostPair& lost, const std::vector<std::string>& names);
/// "s0.p1 to s1, s1.p0 to s0", of a long one the beginning.
std::string circle_text(const Network& network, const std::vector<RouterPort>& circle);

}  // namespace tsunagi::topo
