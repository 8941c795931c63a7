// SPDX-License-Identifier: Apache-2.0
#include "scenarios/traffic/partners.hpp"

#include <numeric>
#include <utility>

namespace tsunagi::scenarios {

namespace {

void shuffle(std::vector<int>& all, stats::RandomStream& random) {
  std::iota(all.begin(), all.end(), 0);
  for (int i = static_cast<int>(all.size()) - 1; i > 0; --i)
    std::swap(all[static_cast<std::size_t>(i)], all[static_cast<std::size_t>(random.below(i + 1))]);
}

}  // namespace

std::vector<int> random_permutation(int n, stats::RandomStream& random) {
  std::vector<int> to(static_cast<std::size_t>(n));
  const auto has_fixed_point = [&] {
    for (int r = 0; r < n; ++r)
      if (to[static_cast<std::size_t>(r)] == r) return true;
    return false;
  };
  do {
    shuffle(to, random);
  } while (has_fixed_point());
  return to;
}

std::vector<Partners> draw_partners(Pairing p, int n, stats::RandomStream& random) {
  std::vector<Partners> out(static_cast<std::size_t>(n));
  const auto joins = [&](int from, int to) {
    out[static_cast<std::size_t>(from)].to = to;
    out[static_cast<std::size_t>(to)].from = from;
  };
  if (p == Pairing::permutation) {
    const std::vector<int> to = random_permutation(n, random);
    for (int i = 0; i < n; ++i) joins(i, to[static_cast<std::size_t>(i)]);
    return out;
  }
  std::vector<int> order(static_cast<std::size_t>(n));
  shuffle(order, random);
  for (std::size_t i = 0; i + 1 < order.size(); i += 2) {
    joins(order[i], order[i + 1]);
    joins(order[i + 1], order[i]);
  }
  return out;
}

}  // namespace tsunagi::scenarios
