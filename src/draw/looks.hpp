// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "draw/picture.hpp"
#include "topo/graph.hpp"

namespace tsunagi::draw {

/// How much a picture says of a device: the more devices, the less.
enum class Detail { full, names, dots };

/// What a wire is, in a line ("PCIe") and a line on its width, generation or rate ("Gen2 x8", "16 GB/s"; may be
/// empty), from the fields "rate", "lanes" and "bandwidth" of its config.
std::vector<std::string> wire_lines(const config::AnyConfig& wire);

/// Boxes, styles and texts of a graph's devices and links; all boxes lie at the origin.
class Looks {
 public:
  explicit Looks(const topo::Graph& graph);

  Detail detail() const { return detail_; }
  double font() const;
  const std::vector<std::string>& lines_of_wire(std::size_t link) const {
    return wires_[static_cast<std::size_t>(styles_[link])];
  }
  /// A picture without places: boxes, lines and legend; lines have no paths.
  Picture empty_picture() const;
  /// Space between two boxes that a label of any link fits into.
  Size label_room() const;

 private:
  Box box(const topo::Node& node) const;

  const topo::Graph& graph_;
  Detail detail_;
  std::vector<std::string> kinds_;               // of devices, as they appear
  std::vector<std::vector<std::string>> wires_;  // kinds of wires, as they appear
  std::vector<int> styles_;                      // of links
};

/// Size of a label of these lines.
Size label_size(const std::vector<std::string>& lines);

/// Font size of labels, in pixels.
constexpr double label_font = 11;

/// A node's group, the name up to the first dot ("node0" of "node0.rc"), and the rest; without a dot both are the name.
std::string group_of(const std::string& name);
std::string short_name(const std::string& name);
/// Whether it is a router that is no part of a node, whatever stands before the dot in its name.
bool is_router(const topo::Node& node);

}  // namespace tsunagi::draw
