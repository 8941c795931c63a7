// SPDX-License-Identifier: Apache-2.0
// What `diff` compares.
#pragma once

#include <boost/program_options.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/files/run_file.hpp"
#include "compare/report.hpp"

namespace tsunagi::app {

/// One of the two, opened. The table of a run is empty until it has been simulated.
struct DiffSide {
  compare::Side side;
  std::optional<nlohmann::ordered_json> config;  ///< resolved, of a run or a result
  nlohmann::ordered_json explanations;           ///< of a result's rows, where it has them (`run --explain`)
  std::optional<RunFile> run;                    ///< to be simulated
  std::vector<std::filesystem::path> files;      ///< that it was read from
  std::vector<std::string> odd;                  ///< what the user should know of it, a line each

  bool is_run() const { return run.has_value(); }
};

/// Opens a folder of a sweep's results, a file that `run --format json` wrote, or else a run; a file may be standard
/// input ("-"). Overrides are for a run; they are left out for the others. Throws UsageError or config::ConfigError.
DiffSide open_side(const std::string& word, const std::vector<config::Override>& overrides);

/// The run of a result, to be simulated now. Throws UsageError if the result does not hold it, config::ConfigError if
/// it is wrong today.
DiffSide rerun_of(const DiffSide& result, const std::vector<config::Override>& overrides);

}  // namespace tsunagi::app
