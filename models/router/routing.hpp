// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "models/router/header.hpp"
#include "topo/network.hpp"
#include "topo/routes/adaptive.hpp"

namespace tsunagi::router {

/// Where a packet leaves a router, and on which virtual channel.
struct Hop {
  int port = 0;
  flow::FlowClass vc = 0;
};

/// A network's routes on wires with so many virtual channels. Pure; one pair of terminals has one path and one sequence
/// of virtual channels, unless the routes are adaptive. Where the routes name a class, it is the virtual channel modulo
/// their number of classes; among the channels of a class, or among all where none is named, the header's mix chooses.
class Routing {
 public:
  /// `classes` off: every virtual channel may be used, and packets can deadlock where routes need classes.
  Routing(std::shared_ptr<const topo::Network> network, int virtual_channels, bool classes)
      : network_(std::move(network)),
        routes_(network_->routes()),
        adaptive_(routes_.adaptive()),
        virtual_channels_(virtual_channels),
        classes_(classes ? routes_.classes() : 1) {}

  /// Routers choose for each packet, by `choose`.
  bool adaptive() const { return adaptive_ != nullptr; }
  /// The way on from `router`.
  Hop next(int router, const Header& h) const {
    return with_channel(routes_.next(router, {h.source, h.destination, h.mix, 0}), h);
  }
  /// The way on of adaptive routes that costs least, which the header remembers: `backlog(port)` flits wait for a port
  /// or in the buffer behind it.
  template <class Backlog>
  Hop choose(int router, AdaptiveHeader& h, Backlog&& backlog) {
    ways_.clear();
    const Header& p = h.plain;
    adaptive_->ways(router, {p.source, p.destination, p.mix, h.via}, topo::AdaptiveRoutes::Draws::own, ways_);
    const topo::Way& way = topo::least_costly(ways_, backlog);
    h.via = way.via;
    return with_channel(way.hop, p);
  }
  /// Whether `router` is where a packet becomes many. Until there it travels as one.
  bool replicates(int router, const Header& h) const {
    return h.copies > 1 && network_->router_of(static_cast<int>(h.destination)) == router;
  }
  /// The terminal of copy `i` (0 .. copies - 1) of a packet.
  int terminal_of_copy(const Header& h, int i) const {
    return (static_cast<int>(h.destination) + i) % network_->terminals();
  }
  const topo::Network& network() const { return *network_; }
  /// Whether the classes of virtual channels that the routes ask for are told apart.
  bool keeps_classes() const { return classes_ == routes_.classes(); }

 private:
  Hop with_channel(topo::Hop hop, const Header& h) const {
    if (classes_ == 1 || hop.channel_class == topo::Hop::any_class) return {hop.port, any_vc(h.mix, virtual_channels_)};
    const unsigned lane = (h.mix >> 8) % static_cast<unsigned>(virtual_channels_ / classes_);
    return {hop.port, static_cast<flow::FlowClass>(static_cast<unsigned>(classes_) * lane +
                                                   static_cast<unsigned>(hop.channel_class))};
  }
  std::shared_ptr<const topo::Network> network_;
  const topo::Routes& routes_;
  const topo::AdaptiveRoutes* adaptive_;  // none: one pair, one way
  int virtual_channels_;
  int classes_;
  topo::Ways ways_;
};

}  // namespace tsunagi::router
