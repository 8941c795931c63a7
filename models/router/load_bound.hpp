// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "comm/library.hpp"
#include "models/router/placed_router.hpp"

namespace tsunagi::router {

/// Of payload that a wire carries.
using RateOf = std::function<Rate(const net::WireSpec&)>;

/// The load at which some wire of a network is full when all its terminals send alike, in a million parts of `full`,
/// the rate of a terminal that meets nobody; rounded down. From the routes of all pairs; where routes are
/// adaptive, from wires to terminals and what cuts of the network let pass. Not known beyond 1,024 terminals, or, of
/// adaptive routes, routers. `routers`: all, by their places.
std::optional<std::int64_t> load_bound(const topo::Network& network, const std::vector<PlacedRouter*>& routers,
                                       const comm::TrafficShares& shares, Rate full, const RateOf& rate_of);

}  // namespace tsunagi::router
