// SPDX-License-Identifier: Apache-2.0
// Sweeps as jobs of a cluster's scheduler: `tsunagi sweep submit` and `status`.
#pragma once

#include "app/files/opened_sweep.hpp"
#include "app/shell/command_line.hpp"

namespace tsunagi::app {

/// Adds --slurm, --shards, --dry-run and the words behind "--".
void add_submit_options(CommandLine& line);

/// Submits what is missing. Throws UsageError, std::runtime_error where there is no Slurm.
int submit_sweep(const boost::program_options::variables_map& values, const OpenedSweep& opened);

/// Tells how far a sweep is, from results and, if jobs of it were submitted, from Slurm's queue.
int sweep_status(const boost::program_options::variables_map& values, const OpenedSweep& opened);

}  // namespace tsunagi::app
