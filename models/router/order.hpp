// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "config/error_at.hpp"
#include "topo/network.hpp"

namespace tsunagi::router {

/// Throws config::ConfigError if packets of a pair of `network` can overtake each other, which the device `name` cannot
/// bear, because of `reason`.
inline void require_order(const topo::Network& network, const std::string& name, const std::string& reason) {
  if (network.routes().adaptive() != nullptr)
    throw config::error_at(network.pointer() + "/routes",
                           "packets of a pair can overtake each other on adaptive routes, but " + name + " " + reason);
}

}  // namespace tsunagi::router
