// SPDX-License-Identifier: Apache-2.0
// What a picture leaves out of a machine of equal parts.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "topo/graph.hpp"

namespace tsunagi::draw {

/// A node (a group of devices) that stands for all that are equal to it, to be drawn in detail.
struct Inside {
  std::string title;                 ///< "node0; node1–node15 are the same"
  topo::Graph graph;                 ///< its devices, and behind them one that stands for all that cables lead to
  std::vector<std::size_t> nodes;    ///< of the machine, by device; without the last one
  std::vector<std::size_t> links;    ///< of the machine, by link
  std::vector<std::string> targets;  ///< by link: where it leads; empty: it stays inside
};

/// Some nodes of the machine that are drawn as one.
struct Members {
  std::vector<std::size_t> devices;  ///< of the machine
  std::vector<std::string> names;    ///< of what was merged: of a node or of a single device
};

/// A machine with fewer nodes and links, and of each those of the machine that it stands for.
struct Condensed {
  topo::Graph graph;
  std::vector<Members> nodes;
  std::vector<std::vector<std::size_t>> links;
  std::vector<int> sorts;  ///< nodes of one sort are equal
  std::vector<Inside> insides;
};

/// Nothing left out.
Condensed unchanged(const topo::Graph& graph);

/// Nodes that are equal, down to every value of their devices and of the wires between them, become plain boxes of kind
/// "node", if there are at least three of a sort; one of each sort is kept as an `Inside`.
Condensed condense(const topo::Graph& graph);

/// While there are more than `most` nodes, equal neighbours become one: hosts at the same switches, switches over the
/// same switches with equal hosts below, switches over the same ones. As far as that goes. Of crossbars in three
/// dimensions the planes become one.
void summarise(Condensed& whole, std::size_t most);

/// "node0–node15" of names that count on without a gap, of one its name; else empty.
std::string range_text(const std::vector<std::string>& names);

}  // namespace tsunagi::draw
