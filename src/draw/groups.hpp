// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "topo/graph.hpp"

namespace tsunagi::draw {

/// Groups are counted in ints, because "none" is -1; vectors are not.
inline std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Devices whose names share what stands before the first dot, or one device without a dot.
struct Group {
  std::string name;
  bool framed = false;   ///< its devices' names have a dot
  bool is_node = false;  ///< framed, or a node that is drawn as one box
  std::vector<std::uint32_t> nodes;
  std::vector<int> neighbours;  ///< groups that a link leads to; ascending
};

struct Groups {
  std::vector<Group> all;
  std::vector<int> of_node;
};

Groups groups_of(const topo::Graph& graph);

/// What the links between groups look like as a whole.
enum class Shape { line, circle, rings, star, layers };

/// How to place groups.
struct Arrangement {
  Shape shape = Shape::circle;
  std::vector<int>
      order;     ///< along the line, circle or both rings, without the hub; of layers: so that few links cross
  int hub = -1;  ///< of a star (the others may form a ring)
  std::vector<int> levels;  ///< of layers: a level a group, 0 at the bottom
};

/// Recognises a path, a cycle, two equal cycles of the given order that are joined place by place, a star, a tree,
/// switches in levels above the hosts; else a circle in the given order.
Arrangement arrange(const Groups& groups);

}  // namespace tsunagi::draw
