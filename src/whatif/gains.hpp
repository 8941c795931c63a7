// SPDX-License-Identifier: Apache-2.0
// What a run would gain if one limit at a time were gone.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "config/describe.hpp"
#include "runner/runner.hpp"
#include "whatif/limits.hpp"

namespace tsunagi::whatif {

/// What to compare; what is left open is chosen by the run's own rows.
struct Selection {
  std::optional<std::size_t> row;  ///< counts from 0; none: the last
  /// A time or a derived rate; none: the row's headline, else "latency", else the row's largest rate.
  std::optional<std::string> column;
};

/// One cell of every run's table.
struct Metric {
  std::string column;
  bool is_rate = false;  ///< bytes a second, the more the better; else a time in femtoseconds, the less the better
  std::size_t row = 0;   ///< counts from 0
  std::string why = {};  ///< this column was chosen; may be empty
};

/// What one limit costs.
struct Gain {
  Limit limit;
  double result = 0;    ///< the metric with this limit at its ideal, in the metric's unit
  double gain = 1;      ///< how many times better than now; below 1: worse
  std::string problem;  ///< not empty: why there is no result
};

/// The run as it is, and without each of its limits.
struct Comparison {
  runner::Outcome base;      ///< the run as it is; the rest is valid only if this is ok and nothing was interrupted
  bool interrupted = false;  ///< Ctrl-C before all runs had ended
  Metric metric;
  double now = 0;           ///< the metric of the run as it is, > 0
  std::vector<Gain> gains;  ///< the largest first, equal ones by name; those with a problem last
};

/// Runs `run` as it is and once for each limit, all through run_many with `options`. `kinds` are those that the run
/// was read with. A run that is refused or fails without its limit becomes a problem of that limit.
/// Throws std::invalid_argument when the run has no such row, or nothing to compare in it.
Comparison measure(const RunConfig& run, const std::vector<Limit>& limits, const config::Kinds& kinds,
                   const runner::Simulate& simulate, const Selection& selection = {},
                   const runner::Options& options = {});

}  // namespace tsunagi::whatif
