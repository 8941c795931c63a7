// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "draw/groups.hpp"
#include "draw/picture.hpp"

namespace tsunagi::draw {

/// Where the devices of a group that have links to other groups stand.
enum class Side { left, right, top, bottom };

/// Places the devices of a group in layers: those with links to other groups on one side, behind them what they are
/// linked to, and so on. Where it lies is arbitrary. Returns the rectangle around them; `front` becomes the middle of
/// the first layer.
Rect place_inside(Picture& picture, const topo::Graph& graph, const Groups& groups, int group, Side side, Size room,
                  Point& front);

}  // namespace tsunagi::draw
