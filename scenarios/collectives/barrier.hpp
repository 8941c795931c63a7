// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "scenarios/collectives/measured_collective.hpp"

namespace tsunagi::scenarios {

/// No rank goes on before all are there.
struct BarrierConfig {
  CollectiveConfig how;
};
void describe(BarrierConfig& c, config::Describer& d);

std::unique_ptr<Scenario> make_barrier(const config::AnyConfig& c);

}  // namespace tsunagi::scenarios
