// SPDX-License-Identifier: Apache-2.0
// The layouts: each places the boxes of a picture and gives its lines their paths. Coordinates may be negative.
#pragma once

#include "draw/condense.hpp"
#include "draw/looks.hpp"

namespace tsunagi::draw {

/// Routers on a circle, their terminals outside it.
void place_ring(Picture& picture, const topo::Graph& graph, Size room);

/// A wide router in the middle, terminals along its sides.
void place_crossbar(Picture& picture, const topo::Graph& graph, Size room);

/// Routers in rows and columns; a third dimension runs into the depth, further ones repeat the picture. Wrap links
/// run beside their row or column, or are stubs where there are more than two dimensions.
void place_mesh(Picture& picture, const topo::Graph& graph, Size room);

/// Routers where their network has them (topo::Network::spots), under each the nodes that are wired to it. Routers of a
/// further network stand below all nodes.
void place_network(Picture& picture, const topo::Graph& graph, Size room);

/// Crossbars along the rows and columns of a plane of nodes, each node one box. False, and nothing is done, if the
/// machine is none.
bool place_crossbars(Picture& picture, const topo::Graph& graph);

/// Devices in groups, groups as their links suggest: circle, line, tree, star.
void place_groups(Picture& picture, const topo::Graph& graph, Size room);

/// One node in detail, framed; cables that lead out of it end below the frame, where labels say what they lead to. The
/// box of what is outside is taken out of the picture.
void place_inside_of(Picture& picture, const Inside& inside, Size room);

/// The path between two boxes' centres, bowed sideways by `bow` pixels, without what lies inside the boxes.
Path bowed(const Rect& a, const Rect& b, double bow);

/// The largest width and height of `count` boxes from `first` on.
Size largest(const Picture& picture, std::size_t first, std::size_t count);

/// Places of `count` points on a circle around the origin, the first one on top, clockwise.
Point on_circle(double radius, double index, double count);

}  // namespace tsunagi::draw
