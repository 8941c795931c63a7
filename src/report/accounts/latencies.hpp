// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <vector>

#include "units/time.hpp"

namespace tsunagi::report {

/// How the latencies of a row's messages are spread.
struct LatencyAccount {
  struct Quantile {
    const char* name;
    std::int64_t ten_thousandths;  ///< of the messages that took no longer; nearest rank
  };
  /// min, p50, p90, p95, p99, p99.9, p99.99, max.
  static const std::vector<Quantile>& quantiles();

  /// Latencies from `from` on, below `to`.
  struct Bin {
    Time from;
    Time to;
    std::int64_t messages = 0;
  };

  std::int64_t messages = 0;
  std::vector<Time> times;  ///< one a quantile, in that order
  std::vector<Bin> bins;    ///< from 1, 2 and 5 times the powers of ten to the next, without empty ones at the ends
  /// The quantile of that name, or nullptr.
  const Time* find(std::string_view quantile) const;
};

/// Of sorted latencies, at least one.
LatencyAccount latency_account(const std::vector<Time>& sorted);

/// {"messages", "min_fs", "p50_fs", ..., "max_fs", "histogram": [{"from_fs", "to_fs", "messages"}]}
nlohmann::ordered_json latencies_to_json(const LatencyAccount& latencies);
/// Reads it. Throws nlohmann::json::exception.
LatencyAccount latencies_from_json(const nlohmann::ordered_json& in);

}  // namespace tsunagi::report
