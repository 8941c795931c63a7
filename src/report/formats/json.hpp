// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "report/result.hpp"

namespace tsunagi::report {

/// The cells of rows as an array of objects that hold integers and text only; "_fs" and "_bytes" say the unit.
nlohmann::ordered_json cells_to_json(const Rows& rows);

/// The rows with all columns that CSV has, under the same names.
nlohmann::ordered_json rows_to_json(const Rows& rows);

/// The cost as an object: wall_s, cpu_s, peak_rss_bytes, wakeups, packet_hops, simulated_s.
nlohmann::ordered_json cost_to_json(const Cost& cost);

/// The whole result: {"tsunagi", "models", "run", "rows", "accounts", "explanations", "cost", "digest"}.
std::string json(const Result& result);

}  // namespace tsunagi::report
