// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "draw/draw.hpp"

namespace tsunagi::draw {

/// Colours each line by the most that one of its wires (`links`, by line) carried, on a scale up to the busiest one of
/// all; names the busiest wires and writes their use beside them. The legend of wires gives way to the scale.
void colour_by_use(Picture& picture, const std::vector<std::vector<std::size_t>>& links, const topo::Graph& graph,
                   const WireUses& uses);

/// The smallest of 1, 1.5, 2, 3, 4, 5, 6 or 8 times a power of ten that is not below `part`; at most 1.
double top_of_scale(double part);

}  // namespace tsunagi::draw
