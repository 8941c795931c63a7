// SPDX-License-Identifier: Apache-2.0
#include "stats/evenness.hpp"

#include <algorithm>

#include "units/wide.hpp"

namespace tsunagi::stats {

namespace {

/// The largest rate; others are parts of it. 10^9 squares of them fit.
constexpr std::int64_t whole = 1'000'000'000;

}  // namespace

std::int64_t jain_ppm(const std::vector<std::int64_t>& rates) {
  const std::int64_t most = *std::max_element(rates.begin(), rates.end());
  if (most == 0) return 0;
  UnsignedWide sum = 0, squares = 0;
  for (const std::int64_t r : rates) {
    const UnsignedWide rate = static_cast<UnsignedWide>(r) * whole / static_cast<UnsignedWide>(most);
    sum += rate;
    squares += rate * rate;
  }
  return static_cast<std::int64_t>(sum * sum / rates.size() * 1'000'000 / squares);
}

Evenness evenness(const std::vector<Time>& times) {
  const auto [least, most] = std::minmax_element(times.begin(), times.end());
  std::vector<std::int64_t> rates;
  Wide sum = 0;
  for (const Time t : times) {
    rates.push_back(static_cast<std::int64_t>(static_cast<Wide>(least->fs()) * whole / t.fs()));
    sum += rates.back();
  }
  const Wide mean = static_cast<Wide>(least->fs()) * static_cast<Wide>(times.size()) * whole / sum;
  return {*most, Time::from_fs(static_cast<std::int64_t>(mean)), jain_ppm(rates)};
}

}  // namespace tsunagi::stats
