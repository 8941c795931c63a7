// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "units/time.hpp"

namespace tsunagi::stats {

/// The smallest sample that at least `n` of `whole` do not exceed (nearest rank). `sorted` is not empty.
Time quantile(const std::vector<Time>& sorted, std::int64_t n, std::int64_t whole = 1000);

/// Mean, rounded down to femtoseconds; `samples` is not empty.
Time mean(const std::vector<Time>& samples);

/// Half of the 95 % confidence interval of a mean from the means of batches (Student's t, up to 20 batches), in
/// integer arithmetic. None from fewer than two.
std::optional<Time> half_width_95(const std::vector<Time>& batch_means);

/// Whether the mean of 20 samples is above 0 with 99.9 % confidence (Student's t, one-sided), in integer arithmetic.
/// Samples are less than 2^31 each. Throws std::invalid_argument for another number of these.
bool is_above_zero(const std::int64_t* samples, std::size_t count);

}  // namespace tsunagi::stats
