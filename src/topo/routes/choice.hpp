// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "config/describe.hpp"

namespace tsunagi::topo {

/// What routes that draw a detour for each packet, and choose between it and the minimal way, are told.
struct ChoiceConfig {
  std::int64_t seed = 1;
  /// Flits x hops by which the detour must be cheaper.
  std::int64_t threshold = 100;
};
inline void describe(ChoiceConfig& c, config::Describer& d) {
  d.field("seed", c.seed, "of what is drawn", config::within(0, 1'000'000'000));
  d.field("threshold", c.threshold, "flits x hops by which a detour must be cheaper than the minimal way (ugal)",
          config::within(0, 1'000'000));
}

}  // namespace tsunagi::topo
