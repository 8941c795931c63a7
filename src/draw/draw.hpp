// SPDX-License-Identifier: Apache-2.0
// Pictures of machines.
#pragma once

#include <string>

#include "draw/picture.hpp"
#include "topo/graph.hpp"

namespace tsunagi::draw {

/// Devices that a picture may have.
constexpr std::size_t most_devices = 20'000;

/// Draws a machine: rings, meshes, tori and crossbars as such, other machines by what their groups' links look like.
/// The same graph gives the same picture. Throws std::invalid_argument for more than `most_devices` devices.
Picture draw(const topo::Graph& graph, const std::string& title);

}  // namespace tsunagi::draw
