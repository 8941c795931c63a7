// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "report/recorder.hpp"
#include "runner/runner.hpp"

namespace tsunagi::bench {

/// What it took to bring a machine up.
struct IdleCost {
  std::int64_t links = 0;
  std::int64_t rss_bytes = 0;  // that the resident set grew by
  double cpu_s = 0;
};

/// In place of a simulation: builds the graph and the machine of `run` (no library, no scenario), runs it, and
/// records one row of what that cost.
runner::Counts elaborate_only(const RunConfig& run, const std::string& lesson, report::Recorder& recorder);
/// Reads that row.
IdleCost idle_cost(const report::Rows& rows);

}  // namespace tsunagi::bench
