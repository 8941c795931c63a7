// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "models/router/placed_router.hpp"

namespace tsunagi::router {

/// What to say when nothing moves in a network of these routers, by their places: a circle of links in which its
/// packets can wait for each other, and how to be without it. Empty: there is none.
std::string deadlock_advice(const std::vector<PlacedRouter*>& routers);

}  // namespace tsunagi::router
