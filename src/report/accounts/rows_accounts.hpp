// SPDX-License-Identifier: Apache-2.0
// The accounts of a whole table of rows, as writers and messages need them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "report/recorder.hpp"

namespace tsunagi::report {

/// The accounts of the run (accounts_to_json) and, where rows have some of their own, "rows": those of each row in its
/// place, null for one that has none. Null if the run has none.
nlohmann::ordered_json rows_accounts_to_json(const Rows& rows);

/// Gives `rows` what rows_accounts_to_json says. Throws nlohmann::json::exception.
void rows_accounts_from_json(const nlohmann::ordered_json& in, Rows& rows);

/// Those of equal length in the order of their names.
std::vector<StepAccount> longest_first(std::vector<StepAccount> steps);

/// The same as a table: row (from 0; none for the run), account ("step", "messages", "copies"; of windows "wires",
/// "wire", "latency", "accepted"), name, calls, mean, total, bytes, ppm. Longest first within a row.
Rows accounts_table(const Rows& rows);

}  // namespace tsunagi::report
