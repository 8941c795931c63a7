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
  std::int64_t seed = 1;             // of random routes
  std::vector<std::int64_t> cables;  // between two switches, by level as `taper`
  NetworkParts parts;
};
void describe(FatTreeConfig& c, config::Describer& d);

/// A parallel-ports generalised fat-tree PGFT(h; m1 .. mh; w1 .. wh; p1 .. ph) (Zahavi, "D-Mod-K routing providing
/// non-blocking traffic for shift permutations on real life fat trees", CCIT report 776, Technion 2010), of one cable
/// between two switches the extended generalised fat-tree XGFT(h; m1 .. mh; w1 .. wh) (Öhring, Ibel, Das and Kumar, "On
/// generalized fat trees", IPPS 1995): a switch of level i has below it m_i switches, or terminals, with p_i cables to
/// each, at ports "d0", …, and above it w_(i+1), with p_(i+1) cables to each, at ports "u0", …; w1 and p1 are 1. Its
/// ports lead to the neighbours one after the other, and then to the same again: of 8 spines with two cables to each,
/// u0 and u8 lead to the first. Switches are numbered by levels from below, within a level by what is below them,
/// switches over the same places together.
///
/// Nodes fill the places from 0 on. Switches that no shortest path passes are left out: those above empty places, and
/// the levels above the one at which all nodes meet. Ports that would lead there have no wire.
///
/// Routes go up until the destination is below, and then straight down, so that no wire up is ever waited for by who
/// holds a wire down, and wires of either direction in the order of levels: deadlock-free with any virtual channels.
///  - `d_mod_k`: from level i to d the packet takes port q = floor(d / (w1 ... wi)) mod (w_(i+1) p_(i+1)) (Zahavi), and
///    down to level i the cable of that number, floor(q / w_(i+1)). In a tree that is not tapered a wire down serves
///    one destination only, and no two flows of a shift share any wire.
///  - `random`: a port up by pair and level, drawn with the seed; down the cable of `d_mod_k`.
///  - `adaptive`: each packet by the port, or the cable, where least waits, of equals that of `d_mod_k` or the next
///    behind it.
Network fat_tree_network(const FatTreeConfig& c);

}  // namespace tsunagi::topo
