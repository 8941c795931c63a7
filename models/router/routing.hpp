// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "models/router/header.hpp"
#include "topo/grid.hpp"

namespace tsunagi::router {

/// Where a packet leaves a router, and on which virtual channel.
struct Hop {
  int port = 0;
  flow::FlowClass vc = 0;
};

/// Whether packets go up from coordinate `here` of dimension `d` to another one, `there`: the shorter way, of two
/// equally short ones up from even coordinates and down from odd ones.
bool leads_up(const topo::Grid& grid, int d, int here, int there);

/// Dimension-order minimal routing in a grid, deadlock-free by datelines in wrapped dimensions (Dally and
/// Towles, "Principles and Practices of Interconnection Networks", 8.2.1 and 14.2.3). Pure; one pair of
/// terminals has one path and one sequence of virtual channels.
///  - Half-way round an even ring, packets go up from even coordinates and down from odd ones.
///  - In a wrapped dimension a packet that is going to cross the dateline (between the last coordinate and
///    the first) uses an even virtual channel before it and on it, the odd one above it behind. A packet that
///    does not cross uses either, as its mix says; so both carry load.
///  - Elsewhere, and on wires from and to terminals, the mix chooses among all virtual channels.
class Routing {
 public:
  /// `datelines` off leaves wrapped dimensions without protection: packets can deadlock.
  Routing(std::shared_ptr<const topo::Grid> grid, int virtual_channels, bool datelines)
      : grid_(std::move(grid)), virtual_channels_(virtual_channels), datelines_(datelines && grid_->wraps()) {}

  /// The way on from `router`.
  Hop next(int router, const Header& h) const;
  /// Whether `router` is where a packet becomes many. Until there it travels as one.
  bool replicates(int router, const Header& h) const {
    return h.copies > 1 && grid_->router_of(static_cast<int>(h.destination)) == router;
  }
  /// The terminal of copy `i` (0 .. copies - 1) of a packet.
  int terminal_of_copy(const Header& h, int i) const {
    return (static_cast<int>(h.destination) + i) % grid_->terminals();
  }
  /// Fewest virtual channels with which these routes cannot deadlock.
  static int virtual_channels_needed(const topo::Grid& grid) { return grid.wraps() ? 2 : 1; }
  const topo::Grid& grid() const { return *grid_; }

  /// Calls `visit(router, hop)` for every router on the way from a terminal to another.
  template <class Visit>
  void walk(int source, int destination, Visit&& visit) const {
    const Header h = header_of(source, destination, virtual_channels_);
    for (int at = grid_->router_of(source);;) {
      const Hop hop = next(at, h);
      visit(at, hop);
      if (grid_->is_terminal_port(hop.port)) return;
      at = grid_->neighbour(at, hop.port);
    }
  }

 private:
  flow::FlowClass dateline_vc(const Header& h, bool up, int start, int here, int there) const;

  std::shared_ptr<const topo::Grid> grid_;
  int virtual_channels_;
  bool datelines_;
};

}  // namespace tsunagi::router
