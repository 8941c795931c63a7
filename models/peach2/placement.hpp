// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/peach2/peach2.hpp"
#include "topo/network.hpp"

namespace tsunagi::peach2 {

/// The config of a chip that is a router of a network: node numbers, routes and the role of port S (root complex at a
/// cable's first end, endpoint at the other) are the topology's. Without a ring of ports E and W there is nothing that
/// bubbles keep from filling up. Throws config::ConfigError if `c` has routes of its own, or for a network whose ports
/// are not the chip's.
Peach2Config placed(Peach2Config c, const topo::Place& place);

/// What each source of port `out` must leave free downstream: room for `packets` where it enters a ring (bubble flow
/// control), nothing where it travels on. Empty where nothing is to be left.
std::vector<std::uint8_t> bubble(int packets, int out, int sources);

}  // namespace tsunagi::peach2
