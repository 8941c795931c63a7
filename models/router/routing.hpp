// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "models/router/header.hpp"
#include "topo/network.hpp"

namespace tsunagi::router {

/// Where a packet leaves a router, and on which virtual channel.
struct Hop {
  int port = 0;
  flow::FlowClass vc = 0;
};

/// A network's routes on wires with so many virtual channels. Pure; one pair of terminals has one path and one sequence
/// of virtual channels. Where the routes name a class, it is the virtual channel modulo their number of classes; among
/// the channels of a class, or among all where none is named, the pair's mix chooses.
class Routing {
 public:
  /// `classes` off: every virtual channel may be used, and packets can deadlock where routes need classes.
  Routing(std::shared_ptr<const topo::Network> network, int virtual_channels, bool classes)
      : network_(std::move(network)),
        routes_(network_->routes()),
        virtual_channels_(virtual_channels),
        classes_(classes ? routes_.classes() : 1) {}

  /// The way on from `router`.
  Hop next(int router, const Header& h) const {
    const topo::Hop hop = routes_.next(router, {h.source, h.destination, h.mix});
    if (classes_ == 1 || hop.channel_class == topo::Hop::any_class) return {hop.port, any_vc(h.mix, virtual_channels_)};
    const unsigned lane = (h.mix >> 8) % static_cast<unsigned>(virtual_channels_ / classes_);
    return {hop.port, static_cast<flow::FlowClass>(static_cast<unsigned>(classes_) * lane +
                                                   static_cast<unsigned>(hop.channel_class))};
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

 private:
  std::shared_ptr<const topo::Network> network_;
  const topo::Routes& routes_;
  int virtual_channels_;
  int classes_;
};

}  // namespace tsunagi::router
