// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "report/recorder.hpp"

namespace tsunagi::report {

/// What a run cost the computer it ran on; no part of the digest.
struct Cost {
  double wall_s = 0;                ///< seconds from start to result
  double cpu_s = 0;                 ///< user + system seconds of the simulating process
  std::int64_t peak_rss_bytes = 0;  ///< largest resident set of that process
  std::uint64_t wakeups = 0;        ///< callbacks dispatched by src/sim
  std::uint64_t packet_hops = 0;    ///< packets that crossed a wire
  Time simulated;                   ///< simulated time at the end
};

/// Adds what attempts before cost that had to be repeated; their packets do not count.
inline void add_attempt(Cost& cost, const Cost& before) {
  cost.wall_s += before.wall_s;
  cost.cpu_s += before.cpu_s;
  cost.peak_rss_bytes = std::max(cost.peak_rss_bytes, before.peak_rss_bytes);
  cost.wakeups += before.wakeups;
}

/// All that a writer may print of one run. The references must outlive it.
struct Result {
  std::string version;                          ///< of the program, that of its models behind it: "0.1.0+models.9b2c"
  std::string title;                            ///< one line, may be empty
  std::function<nlohmann::ordered_json()> run;  ///< the fully resolved config, made for those who print it
  const Rows& rows;
  Cost cost;
  /// What each direction of each wire counted, a row each, if that is to be printed. No part of the digest.
  const Rows* counters = nullptr;
  /// What `rows` say of steps and copies is to be printed also by writers that do not always do so.
  bool accounts = false;
  /// The run did not come to its end: there would be more rows, and there is no digest.
  bool incomplete = false;
  /// What explains each row, for writers of JSON, if that is to be printed. No part of the digest.
  const nlohmann::ordered_json* explanations = nullptr;
};

}  // namespace tsunagi::report
