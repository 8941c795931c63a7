// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "topo/network.hpp"

namespace tsunagi::topo {

/// The box of nodes of topology `crossbars`, and which of its routers is what. A node's number is that of its terminal,
/// and of its relay if there are relays.
class CrossbarsShape {
 public:
  explicit CrossbarsShape(const std::vector<std::int64_t>& sizes) : sizes_(sizes.begin(), sizes.end()) {
    for (int d = 0; d < dimensions(); ++d) {
      strides_.push_back(nodes_);
      nodes_ *= size(d);
      if (size(d) > 1) crossed_.push_back(d);
    }
    if (crossed_.empty()) crossed_.push_back(0);
  }
  int nodes() const { return nodes_; }
  int dimensions() const { return static_cast<int>(sizes_.size()); }
  int size(int d) const { return sizes_[static_cast<std::size_t>(d)]; }
  int coordinate(int node, int d) const { return node / stride(d) % size(d); }
  /// Dimensions that have crossbars, ascending: those of more than one node, at least one of them.
  const std::vector<int>& crossed() const { return crossed_; }
  /// Nodes stand at relays, not at the only crossbar.
  bool has_relays() const { return crossed_.size() > 1; }
  /// A relay's port to its node, behind those to the crossbars of each dimension.
  int node_port() const { return dimensions(); }

  int lines(int d) const { return nodes_ / size(d); }
  /// Number of the line along `d` that a node is on, among the lines along it.
  int line(int node, int d) const { return node % stride(d) + node / stride(d) / size(d) * stride(d); }
  /// The node at place `at` of a line along `d`.
  int node(int d, int line, int at) const { return line % stride(d) + (line / stride(d) * size(d) + at) * stride(d); }

  /// The crossbar of a line along `d` (one that is crossed) is router `first_crossbar(d) + line`.
  int first_crossbar(int d) const {
    int first = has_relays() ? nodes_ : 0;
    for (const int each : crossed_) {
      if (each == d) break;
      first += lines(each);
    }
    return first;
  }

 private:
  int stride(int d) const { return strides_[static_cast<std::size_t>(d)]; }
  std::vector<int> sizes_;
  std::vector<int> strides_;
  std::vector<int> crossed_;
  int nodes_ = 1;
};

/// The shape of a network of topology `crossbars`; null: it is of another one.
const CrossbarsShape* crossbars_shape(const Network& network);

}  // namespace tsunagi::topo
