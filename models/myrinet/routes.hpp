// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/myrinet/header.hpp"
#include "topo/network.hpp"

namespace tsunagi::myrinet {

/// The route bytes from one terminal of a network to another, or itself: the output at each crossbar on the way, as the
/// network's routes lead. Pure.
SourceRoute source_route(const topo::Network& network, int from, int to);

/// What a card needs of its network: that routes are of one way a pair, need no classes of virtual channels, and that
/// no route from `terminal` has more than `most` bytes. Throws config::ConfigError; `name`: who asks.
void check_routes(const topo::Network& network, int terminal, int most, const std::string& name);

}  // namespace tsunagi::myrinet
