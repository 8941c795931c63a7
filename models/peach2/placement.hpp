// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/peach2/peach2.hpp"
#include "topo/rings.hpp"

namespace tsunagi::peach2 {

/// The config of a chip that a topology placed at `node` of `rings`: node numbers, the role of port S (root complex in
/// the first ring, endpoint in the second) and routes are the topology's. Throws config::ConfigError if `c` has routes
/// of its own.
Peach2Config placed(Peach2Config c, const topo::Rings& rings, int node);

/// What each source of port `out` must leave free downstream: room for `packets` where it enters a ring (bubble flow
/// control), nothing where it travels on. Empty where nothing is to be left.
std::vector<std::uint8_t> bubble(int packets, int out, int sources);

}  // namespace tsunagi::peach2
