// SPDX-License-Identifier: Apache-2.0
// Pictures of machines.
#pragma once

#include <string>
#include <vector>

#include "draw/picture.hpp"
#include "topo/graph.hpp"

namespace tsunagi::draw {

/// Devices that a picture may have.
constexpr std::size_t most_devices = 20'000;

/// How much of what it can carry each wire carried in a run, which makes a picture a heat map.
struct WireUses {
  std::vector<double> parts;  ///< by link of the graph, of the busier direction; 0..1
  std::string of;             ///< what the parts are of: "of what the wire can carry in 1.2 ms"
};

/// What a picture shows beside devices and wires.
struct Show {
  bool devices = false;                 ///< of every node; else of one of those that are equal
  bool ports = false;                   ///< the names of the ports at the ends of wires
  bool rates = false;                   ///< what a wire is, at each, not only in the legend
  bool lengths = false;                 ///< how long a bit is on its way along each wire
  bool circle = false;                  ///< wires in which packets can wait for each other in a circle
  std::vector<std::string> ranks = {};  ///< the full name of the device that runs each rank; empty: are not shown
  WireUses uses = {};                   ///< no parts: no heat map
};

/// Draws a machine: rings, meshes, tori and crossbars as such, other machines by what their groups' links look like.
/// Of equal nodes one is drawn in detail, the others as boxes; machines of hundreds of devices are summarised. The same
/// graph gives the same picture. Throws std::invalid_argument for more than `most_devices` devices.
Picture draw(const topo::Graph& graph, const std::string& title, const Show& show = {});

}  // namespace tsunagi::draw
