// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "config/describe.hpp"
#include "topo/grid.hpp"

namespace tsunagi::topo {

class Rings;

/// One device of a machine, by its full name ("node0.peach2").
struct Node {
  std::string name;
  config::AnyConfig config;
  std::string pointer;  // where the machine's config says so
  /// Number of the router or terminal in the graph's grid, of the chip in its rings; -1: the topology does not place it.
  int place = -1;
};

/// A port of a node.
struct End {
  std::uint32_t node = 0;
  std::string port;
};

struct Link {
  End a;
  End b;
  config::AnyConfig wire;
  std::string pointer;
};

/// A machine as a value: what is there and what is wired to what.
struct Graph {
  std::vector<Node> nodes;
  std::vector<Link> links;
  /// What the places are numbers of; null if nothing is placed in such a one.
  std::shared_ptr<const Grid> grid;
  std::shared_ptr<const Rings> rings;
};

/// A topology kind: its config and how that becomes a graph (pure).
struct Topology {
  config::Kind kind;
  std::function<Graph(const config::AnyConfig&)> build;
};

/// All topologies, listed by hand in catalog.cpp.
const std::vector<Topology>& catalog();

/// The graph of a machine's topology; `pointer` is its place in the document.
Graph build(const config::AnyConfig& topology);

}  // namespace tsunagi::topo
