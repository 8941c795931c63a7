// SPDX-License-Identifier: Apache-2.0
// A run of which one message is explained: what `explain` and `report` share.
#pragma once

#include <boost/program_options.hpp>
#include <optional>
#include <string>

#include "app/files/run_file.hpp"
#include "app/shell/command_line.hpp"
#include "runner/runner.hpp"
#include "whatif/gains.hpp"

namespace tsunagi::app {

/// Adds --size and --method, which choose the message.
void add_message_options(CommandLine& line);

/// The run with one size, one method and one of everything else that its scenario has a list of: what --size and
/// --method say, else the first. `command` is for messages; `method`, if there is one, is taken as --method. Throws
/// UsageError for what the scenario has not, config::ConfigError.
RunFile narrowed(const boost::program_options::variables_map& values, const std::string& command,
                 const std::optional<std::string>& method = {});

/// That run as it is and once without each of its limits. `command`: as RunProgress has it. Throws UsageError when it
/// has nothing to compare.
whatif::Comparison compared(const RunConfig& run, runner::Options options, const char* command);

}  // namespace tsunagi::app
