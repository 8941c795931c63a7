// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "scenarios/collectives/measured_collective.hpp"

namespace tsunagi::scenarios {

/// The bytes of one rank go to all.
struct BroadcastConfig {
  CollectiveConfig how;
};
void describe(BroadcastConfig& c, config::Describer& d);

std::unique_ptr<Scenario> make_broadcast(const config::AnyConfig& c);

}  // namespace tsunagi::scenarios
