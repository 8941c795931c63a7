// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "config/describe.hpp"
#include "topo/network.hpp"
#include "topo/parts.hpp"

namespace tsunagi::topo {

/// Nodes 0 .. n-1 in one ring, or in two rings of n/2 each whose nodes at the same place are joined
/// (paper 000, 3.2 and 3.3): the sub-cluster of a TCA network. A ring of two has one cable, of one none.
/// Routes are the shortest ones, first along the ring, then across; of two equally short ones the eastern.
class Rings {
 public:
  enum class Way : std::uint8_t { here, east, west, south };

  /// `nodes` 2 .. 16, `rings` 1 or 2. Throws std::invalid_argument for what `why_not` names.
  Rings(int nodes, int rings);
  /// Why there is no such layout; empty if there is.
  static std::string why_not(int nodes, int rings);

  int nodes() const { return nodes_; }
  int rings() const { return rings_; }
  int length() const { return nodes_ / rings_; }
  int ring_of(int node) const { return node / length(); }
  /// A ring has a cable from its last node to its first: packets could wait for each other in a circle.
  bool closed() const { return length() > 2; }
  /// The node that a port leads to, or -1 if no cable is there.
  int next(int node, Way port) const;
  /// The port by which packets at node `from` leave for node `to`.
  Way way(int from, int to) const;
  /// Cables on that route.
  int hops(int from, int to) const;

 private:
  int nodes_;
  int rings_;
};

/// A TCA sub-cluster: equal nodes, each with a PEACH2 chip that is cabled to its neighbours'.
struct RingsConfig {
  int nodes = 2;
  int rings = 1;
  NodeParts parts = {{}, {}, "peach2"};  // the chip of a node is its router
  config::AnyConfig cable;
};
void describe(RingsConfig& c, config::Describer& d);

/// Routers are the chips, with ports "n" (the node's own, to which terminal i of chip i is attached), "e", "w", "s".
Network rings_network(const RingsConfig& c);

}  // namespace tsunagi::topo
