// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "stats/random.hpp"

namespace tsunagi::scenarios {

/// How partners are drawn.
enum class Pairing : std::uint8_t {
  matching,     // ranks are paired, and each sends to the one that sends to it; of an odd number one is left out
  permutation,  // each sends to one other rank, and gets from one other
};

/// Whom a rank sends to and whom it gets from in a round; -1: nobody.
struct Partners {
  int to = -1;
  int from = -1;
};

/// A random permutation of 0 .. n - 1, n > 1, without fixed points: every one is as likely.
std::vector<int> random_permutation(int n, stats::RandomStream& random);

/// Partners of `n` > 1 ranks.
std::vector<Partners> draw_partners(Pairing p, int n, stats::RandomStream& random);

}  // namespace tsunagi::scenarios
