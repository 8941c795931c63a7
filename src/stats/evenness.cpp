// SPDX-License-Identifier: Apache-2.0
#include "stats/evenness.hpp"

#include <algorithm>

#include "units/wide.hpp"

namespace tsunagi::stats {

Evenness evenness(const std::vector<Time>& times) {
  const auto [least, most] = std::minmax_element(times.begin(), times.end());
  // Rates as parts of 10^9 of the largest: 10^9 squares of them fit.
  constexpr std::int64_t whole = 1'000'000'000;
  UnsignedWide sum = 0, squares = 0;
  for (const Time t : times) {
    const UnsignedWide rate = static_cast<UnsignedWide>(least->fs()) * whole / static_cast<UnsignedWide>(t.fs());
    sum += rate;
    squares += rate * rate;
  }
  const auto n = static_cast<UnsignedWide>(times.size());
  const UnsignedWide mean = static_cast<UnsignedWide>(least->fs()) * n * whole / sum;
  const UnsignedWide jain = sum * sum / n * 1'000'000 / squares;
  return {*most, Time::from_fs(static_cast<std::int64_t>(mean)), static_cast<std::int64_t>(jain)};
}

}  // namespace tsunagi::stats
