// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/shell/command_line.hpp"
#include "sweep/results/run.hpp"
#include "sweep/results/store.hpp"

namespace tsunagi::app {

/// A sweep as the command line names it. Throws UsageError or config::ConfigError.
struct OpenedSweep {
  OpenedSweep(const boost::program_options::variables_map& values, const std::string& file);
  OpenedSweep(const OpenedSweep&) = delete;
  OpenedSweep& operator=(const OpenedSweep&) = delete;

  sweep::Manifest manifest() const;
  /// Files that results, tables, database and plots are written to, whatever the action.
  std::vector<std::string> outputs() const;

  /// The folder of the results, which this makes if it is not there. Throws UsageError if it is not the sweep's.
  sweep::Store store() const;
  /// The folder as it is there, to read. Throws UsageError also if there is none.
  sweep::Store existing_store() const;

  std::string file;  ///< of the sweep
  sweep::Sweep sweep;
  sweep::Plan plan;
  sweep::Points points;
  std::filesystem::path folder;  ///< of the results
};

}  // namespace tsunagi::app
