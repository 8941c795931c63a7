// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "topo/network.hpp"

namespace tsunagi::topo {

/// What has to pass out of a set of routers, whatever routes it takes, and what can.
struct Cut {
  std::int64_t passing = 0;   // by weight
  std::int64_t capacity = 0;  // of the cables out, as `capacity` has them
};

/// Cuts of `network` round every run of routers that follow each other in number, in a grid also in the numbers that
/// they would have with each other dimension running slowest: half of a grid, a group of a dragonfly, a leaf of a
/// fat-tree are some. Others may be narrower. Calls `visit` for those that anything has to pass, into or out of the
/// run. `capacity(router, port)`: of a cable, in that direction. Work grows with the square of the routers.
void for_cuts(const Network& network, const Weight& weight, const std::function<std::int64_t(int, int)>& capacity,
              const std::function<void(const Cut&)>& visit);

}  // namespace tsunagi::topo
