// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "figures/columns.hpp"

namespace tsunagi::figures {

/// Whether an expression asks for what a run counted by this name: step_mean, step_total, step_calls, copies,
/// copied_bytes, wire_use, quantile, fairness.
bool is_account_function(const std::string& name);

/// Its value for a run or, if `row` says which, a row of it, in base units. Throws ExpressionError for wrong arguments,
/// a step that the run never did and windows of a run of several rows; NoValue where nothing was counted.
double account(const Columns& columns, const std::string& name, const std::vector<std::string>& arguments,
               std::optional<std::size_t> row);

}  // namespace tsunagi::figures
