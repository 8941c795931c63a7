// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/shell/command_line.hpp"

namespace tsunagi::app {

/// A subcommand: what it is called, what it takes, what it does.
struct Command {
  std::string name;
  std::string summary;  ///< one line
  std::function<CommandLine()> command_line;
  /// Returns the exit code. May throw UsageError, config::ConfigError (both exit 2) or any
  /// std::exception (exit 1).
  std::function<int(const boost::program_options::variables_map&)> run;
};

/// Every subcommand, in the order of `tsunagi --help`.
const std::vector<Command>& commands();

Command run_command();
Command sweep_command();
Command check_command();
Command diff_command();
Command fit_command();
Command lesson_command();
Command explain_command();
Command trace_command();
Command draw_command();
Command report_command();
Command validate_command();
Command list_command();
Command schema_command();
Command new_command();
Command import_command();
Command box_command();
Command completion_command();

}  // namespace tsunagi::app
