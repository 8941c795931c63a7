// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "draw/groups.hpp"
#include "draw/layouts/inner_layout.hpp"
#include "draw/picture.hpp"

namespace tsunagi::draw {

/// The groups of a machine as wholes, which layouts place: a group's frame and devices move together.
class Blocks {
 public:
  Blocks(Picture& picture, const topo::Graph& graph, Size room);

  const Groups& groups() const { return groups_; }
  const Rect& outline(int group) const { return outlines_[at(group)]; }
  /// The middle of the devices that lead out of the group.
  Point front(int group) const { return fronts_[at(group)]; }
  /// Lays out a group's inside; what leads out of it stands on `side`.
  void fill(int group, Side side);
  void move(int group, Point by);
  void put(int group, Point centre) { move(group, centre - outline(group).centre()); }
  /// Makes the box of a group of one device that wide.
  void widen(int group, double width);
  void add_frames();

  /// A line between the boxes of a link's ends, as straight as what is in its way allows. `upright`: nothing is, and it
  /// runs from below the upper box to above the lower one.
  Path clear_path(const topo::Link& link, bool upright);

 private:
  bool is_blocked(const Path& path, const topo::Link& link) const;

  Picture& picture_;
  const topo::Graph& graph_;
  Size room_;
  Groups groups_;
  std::vector<Rect> outlines_;
  std::vector<Point> fronts_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> parallel_;  // lines drawn between two devices
};

}  // namespace tsunagi::draw
