// SPDX-License-Identifier: Apache-2.0
#include "stats/samples.hpp"

#include <stdexcept>

#include "units/wide.hpp"

namespace tsunagi::stats {

namespace {

/// Largest whole number whose square does not exceed v (v >= 0).
Wide square_root(Wide v) {
  if (v < 2) return v;
  Wide low = 1, high = Wide{1} << 63;
  while (low + 1 < high) {
    const Wide mid = (low + high) / 2;
    (mid <= v / mid ? low : high) = mid;
  }
  return low;
}

}  // namespace

Time quantile(const std::vector<Time>& sorted, std::int64_t n, std::int64_t whole) {
  const std::int64_t rank = (static_cast<std::int64_t>(sorted.size()) * n + whole - 1) / whole;
  return sorted[static_cast<std::size_t>(rank < 1 ? 0 : rank - 1)];
}

Time mean(const std::vector<Time>& samples) {
  Wide sum = 0;
  for (const Time t : samples) sum += t.fs();
  return Time::from_fs(static_cast<std::int64_t>(sum / static_cast<Wide>(samples.size())));
}

std::optional<Time> half_width_95(const std::vector<Time>& batch_means) {
  // Quantiles 0.975 of Student's t with 1 .. 19 degrees of freedom, in thousandths.
  constexpr std::int64_t t[] = {12706, 4303, 3182, 2776, 2571, 2447, 2365, 2306, 2262, 2228,
                                2201,  2179, 2160, 2145, 2131, 2120, 2110, 2101, 2093};
  const auto n = static_cast<std::int64_t>(batch_means.size());
  if (n < 2) return std::nullopt;
  if (n > 20) throw std::invalid_argument("at most 20 batches");
  const Time centre = mean(batch_means);
  Wide squares = 0;
  for (const Time m : batch_means) squares += static_cast<Wide>((m - centre).fs()) * (m - centre).fs();
  const Wide factor = t[n - 2];
  return Time::from_fs(static_cast<std::int64_t>(square_root(squares / (n * (n - 1))) * factor / 1000));
}

bool is_above_zero(const std::int64_t* samples, std::size_t count) {
  constexpr Wide t = 3579;  // quantile 0.999 of Student's t with 19 degrees of freedom, in thousandths
  const auto n = static_cast<Wide>(count);
  if (n != 20) throw std::invalid_argument("20 samples");
  Wide sum = 0, squares = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += samples[i];
    squares += static_cast<Wide>(samples[i]) * samples[i];
  }
  // mean / (deviation / sqrt(n)) > t, where deviation^2 = (squares - sum^2 / n) / (n - 1)
  return sum > 0 && sum * sum * (n - 1) > (n * squares - sum * sum) * t * t / 1'000'000;
}

}  // namespace tsunagi::stats
