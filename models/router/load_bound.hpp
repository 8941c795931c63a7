// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "comm/communicator.hpp"
#include "models/router/placed_router.hpp"

namespace tsunagi::router {

/// The load at which some wire of a network is full when all its terminals send alike, in a million parts of `full`,
/// the rate of a terminal that meets nobody; rounded down. From the routes of all pairs; not known beyond 1,024
/// terminals. `routers`: all, by their places. `rate_of` a wire: of payload that it carries.
std::optional<std::int64_t> load_bound(const topo::Network& network, const std::vector<PlacedRouter*>& routers,
                                       const comm::TrafficShares& shares, Rate full,
                                       const std::function<Rate(const net::WireSpec&)>& rate_of);

}  // namespace tsunagi::router
