// SPDX-License-Identifier: Apache-2.0
// One row of a run, measured and explained alone.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "compare/table.hpp"
#include "config/config.hpp"
#include "runner/outcome.hpp"
#include "runner/run_config.hpp"
#include "runner/runner.hpp"

namespace tsunagi::app {

/// A resolved config as this version reads it; `name` is for messages. Throws config::ConfigError.
RunConfig run_from(const nlohmann::ordered_json& config, const std::string& name,
                   const std::vector<config::Override>& overrides = {});

/// The run that measures one row of that run, alone if its scenario lets it. Throws config::ConfigError.
RunConfig row_alone(const nlohmann::ordered_json& config, const std::string& name, const compare::Row& row);

/// Whether a run measured that row; `exactly`: also its times and rates.
bool measured(const runner::Outcome& outcome, const compare::Row& row, bool exactly);

/// What `explain --format json` says of each row of a run when it is measured alone, an item a row; null for a row that
/// is measured only together with others. Nothing: interrupted. Throws config::ConfigError.
std::optional<nlohmann::ordered_json> explained_rows(const nlohmann::ordered_json& config, const std::string& name,
                                                     const report::Rows& rows, runner::Options options);

}  // namespace tsunagi::app
