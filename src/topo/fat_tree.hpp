// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "config/describe.hpp"
#include "topo/network.hpp"
#include "topo/parts.hpp"

namespace tsunagi::topo {

/// Of the switches on the way up, all of which lead to the destination.
enum class UpRoutes : std::uint8_t { d_mod_k, random, adaptive };

/// A fat-tree of switches with `radix` ports: a switch of the top level has all of them down, one of another level half
/// of them, or of a tapered level t of 1 + t.
struct FatTreeConfig {
  int radix = 8;
  int levels = 2;
  int nodes = 0;                    // 0: as many as there are places
  std::vector<std::int64_t> taper;  // ports down for one up, by level from below; one: of all levels; none: 1
  UpRoutes routes = UpRoutes::d_mod_k;
  std::int64_t seed = 1;  // of random routes
  NetworkParts parts;
};
void describe(FatTreeConfig& c, config::Describer& d);

/// An extended generalised fat-tree XGFT(h; m1 .. mh; w1 .. wh) (Öhring, Ibel, Das and Kumar, "On generalized fat
/// trees", IPPS 1995): a switch of level i has m_i ports down, "d0", …, and w_(i+1) ports up, "u0", …; w1 is 1.
/// Switches are numbered by levels from below, within a level by what is below them, switches over the same places
/// together.
///
/// Nodes fill the places from 0 on. Switches that no shortest path passes are left out: those above empty places, and
/// the levels above the one at which all nodes meet. Ports that would lead there have no wire.
///
/// Routes go up until the destination is below, and then straight down, so that no wire up is ever waited for by who
/// holds a wire down, and wires of either direction in the order of levels: deadlock-free with any virtual channels.
///  - `d_mod_k`: from level i to d the packet takes port floor(d / (w1 ... wi)) mod w_(i+1) (Zahavi, "D-Mod-K routing
///    providing non-blocking traffic for shift permutations on real life fat trees", CCIT report 776, Technion 2010).
///    In a tree that is not tapered a wire down serves one destination only, and no two flows of a shift share any
///    wire.
///  - `random`: a port by pair and level, drawn with the seed.
///  - `adaptive`: each packet by the port where least waits, of equals that of `d_mod_k` or the next behind it.
Network fat_tree_network(const FatTreeConfig& c);

}  // namespace tsunagi::topo
