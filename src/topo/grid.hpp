// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tsunagi::topo {

/// Routers at the points of a box of any dimensions, `terminals` of them at each: ring (one
/// dimension, wrapped), mesh, torus (wrapped) and crossbar (no dimension, one router). Routers and
/// terminals are numbered from 0; the first coordinate runs fastest, terminals of a router follow
/// each other. One object is shared by all parts of a machine.
class Grid {
 public:
  /// All `sizes` and `terminals` > 0. Throws std::invalid_argument for more than 65,536 routers a
  /// dimension or 2^24 routers.
  Grid(std::vector<int> sizes, bool wrap, int terminals);

  int dimensions() const { return static_cast<int>(sizes_.size()); }
  int size(int d) const { return sizes_[static_cast<std::size_t>(d)]; }
  bool wraps() const { return wrap_; }
  int routers() const { return routers_; }
  int terminals() const { return routers_ * terminals_; }
  int terminals_each() const { return terminals_; }
  int router_of(int terminal) const { return terminal / terminals_; }
  int coordinate(int router, int d) const {
    return coordinates_[static_cast<std::size_t>(router) * sizes_.size() + static_cast<std::size_t>(d)];
  }

  /// Ports of a router: two a dimension (up, down), then the terminals'.
  int ports() const { return 2 * dimensions() + terminals_; }
  static int port(int d, bool up) { return 2 * d + (up ? 0 : 1); }
  int terminal_port(int terminal) const { return 2 * dimensions() + terminal % terminals_; }
  bool is_terminal_port(int port) const { return port >= 2 * dimensions(); }
  /// "d0+", "d0-", "d1+", …, "t0", "t1", …
  std::string port_name(int port) const;
  /// The router that a grid port leads to, or -1 at the edge of a mesh and in a dimension of size 1.
  int neighbour(int router, int port) const;

 private:
  std::vector<int> sizes_;
  bool wrap_;
  int terminals_;
  int routers_ = 1;
  std::vector<std::uint16_t> coordinates_;  // a router's follow each other
};

}  // namespace tsunagi::topo
