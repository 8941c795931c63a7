// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/program_options.hpp>

#include "app/shell/command_line.hpp"
#include "runner/runner.hpp"

namespace tsunagi::app {

/// Adds `--jobs N`.
void add_jobs_option(CommandLine& line);

/// As many simulations at a time as `--jobs` says, else one a core. Throws UsageError.
runner::Options runner_options(const boost::program_options::variables_map& values);

}  // namespace tsunagi::app
