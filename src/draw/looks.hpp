// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "draw/picture.hpp"
#include "topo/graph.hpp"

namespace tsunagi::draw {

/// How much a picture says of a device: the more devices, the less.
enum class Detail { full, names, dots };
Detail detail_for(std::size_t nodes);

/// What a wire is, in a line ("PCIe") and a line on its width, generation or rate ("Gen2 x8", "16 GB/s"; may be
/// empty), from the fields "rate", "bandwidth" or "speed" and "lanes" or "width" of its config.
std::vector<std::string> wire_lines(const config::AnyConfig& wire);

/// The same of a link, which may have a rate of its own.
std::vector<std::string> wire_lines(const topo::Link& link);

/// How long a bit is on its way along a wire, as its config's "flight" says; empty: it does not say.
std::string flight_of(const config::AnyConfig& wire);

/// Colours of a machine's devices and pens of its wires: a pen for each kind of wire and what is said of it.
class Palette {
 public:
  explicit Palette(const topo::Graph& graph);

  /// "PCIe Gen2 x8".
  const std::string& text_of(const topo::Link& link) const { return wires_[number_of(link)].text; }
  const Pen& pen_of(const topo::Link& link) const { return wires_[number_of(link)].pen; }
  /// Device kinds, then wires, each once.
  std::vector<Entry> legend() const;

 private:
  struct Wire {
    std::string kind;
    std::string text;
    std::size_t between = 0;  // links between nodes, and inside them
    std::size_t inside = 0;
    Pen pen = {};
  };
  using Key = std::pair<const config::ConfigObject*, double>;  // links of a network share one config
  static Key key_of(const topo::Link& link) {
    return {link.wire.object(), link.rate ? link.rate->bytes_per_second() : -1};
  }
  std::size_t number_of(const topo::Link& link) const { return numbers_.at(key_of(link)); }

  std::vector<std::string> kinds_;
  std::vector<Wire> wires_;
  std::vector<std::size_t> order_;      // of wires in the legend
  std::map<Key, std::size_t> numbers_;  // looked up, never walked
};

/// What a picture adds to a device.
struct Remark {
  std::size_t count = 1;  ///< it stands for so many
  std::string ranks;      ///< that it runs: "ranks 0–3"; empty: none, or nobody asked
};

/// Boxes, styles and texts of a graph's devices and links; all boxes lie at the origin.
class Looks {
 public:
  /// `remarks`: one a node, or none at all.
  Looks(const topo::Graph& graph, const Palette& palette, Detail detail, std::vector<Remark> remarks = {});

  Detail detail() const { return detail_; }
  /// Boxes and lines without places.
  Picture empty_picture() const;
  /// Space between two boxes that labels of these sizes fit into.
  Size room(Size label) const;

 private:
  Box box(std::size_t node) const;

  const topo::Graph& graph_;
  const Palette& palette_;
  Detail detail_;
  std::vector<Remark> remarks_;
};

/// Size of a label of these lines.
Size label_size(const std::vector<std::string>& lines);

/// A node's group, the name up to the first dot ("node0" of "node0.rc"), and the rest; without a dot both are the name.
std::string group_of(const std::string& name);
std::string short_name(const std::string& name);
/// Whether it is a router that is no part of a node, whatever stands before the dot in its name.
bool is_router(const topo::Node& node);

/// "e" of "peach2.e".
std::string short_port(const topo::End& end);

/// "rank 0", "ranks 0–3", "ranks 0, 2", "ranks 0, 2, 4, 6, …" of ascending ranks; of none, nothing.
std::string ranks_text(const std::vector<std::size_t>& ranks);

/// "root complex" of "root_complex".
std::string spaced(std::string kind);

}  // namespace tsunagi::draw
