// SPDX-License-Identifier: Apache-2.0
// Columns of scenarios in which many ranks send at once: how fast each was.
#pragma once

#include <vector>

#include "report/recorder.hpp"
#include "stats/evenness.hpp"

namespace tsunagi::scenarios {

/// "mean_rate" and "min_rate", from a row's "bytes" and what `write_rates` says.
inline void declare_rates(report::Recorder& r) {
  r.rate("mean_rate", "bytes", "mean");
  r.rate("min_rate", "bytes", "slowest");
}

/// Of the times in which ranks moved the row's "bytes" each: the longest, that of the mean rate, and Jain's index.
inline void write_rates(report::Row& row, const std::vector<Time>& times) {
  const stats::Evenness e = stats::evenness(times);
  row.time("slowest", e.slowest).time("mean", e.mean).count("jain_ppm", e.jain_ppm);
}

}  // namespace tsunagi::scenarios
