// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/describe.hpp"
#include "topo/network.hpp"

namespace tsunagi::topo {

/// A switch that is a box of several: a part that stands as a topology's router.
struct BoxConfig {
  config::AnyConfig network;  // a topology without nodes; its terminal i is the box's port i
};
void describe(BoxConfig& c, config::Describer& d);

/// `network` with its routers that are boxes replaced by what is in them: of "router3" the chips are "router3.router0",
/// … A packet goes through a box as the network inside routes from one of its terminals to another, on the class of
/// virtual channels that `network` asks for behind the box. Packets of a pair go one way as long as `network` and the
/// boxes send them one way.
///
/// Links to terminals and between routers keep what `network` says of them, those inside what the box says.
///
/// What runs through boxes may close a circle that neither has: the routes are verified, and if they can deadlock
/// the network refuses to run (`Network::refuse`). Free of it is a fat-tree none of whose boxes has, at one chip, both
/// ports up and down.
///
/// Throws config::ConfigError for a box with too few ports, with nodes or a whole machine inside, and for routes,
/// inside or around it, that choose by what waits, or that need classes of virtual channels inside.
Network unboxed(Network network);

}  // namespace tsunagi::topo
