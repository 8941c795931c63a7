// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "units/time.hpp"

namespace tsunagi::stats {

/// How alike many senders were served, each of which moved the same number of bytes n in a time of its own.
struct Evenness {
  Time slowest;               ///< n over it is the smallest rate
  Time mean;                  ///< n over it is the mean of the rates: the harmonic mean of the times
  std::int64_t jain_ppm = 0;  ///< Jain's index of the rates, 1 if all are alike, 1/senders if one has all; in a million
};

/// Jain's index of rates, from 0 on, in whole numbers of any unit: 1 if all are alike, 1/n if one of n has all; in a
/// million, rounded down; 0 if all are 0. Not of none.
std::int64_t jain_ppm(const std::vector<std::int64_t>& rates);

/// Of positive times, at least one of them; in integer arithmetic (Jain, Chiu, Hawe: "A Quantitative
/// Measure of Fairness and Discrimination", DEC-TR-301, 1984).
Evenness evenness(const std::vector<Time>& times);

}  // namespace tsunagi::stats
