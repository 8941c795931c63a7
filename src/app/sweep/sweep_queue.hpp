// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sweep/slurm/queue.hpp"

namespace tsunagi::app {

/// What Slurm says of a sweep's jobs.
struct SweepQueue {
  std::vector<sweep::slurm::Task> tasks;
  std::string unknown;  ///< why it is not known; "" if it is
};

/// Asks squeue, if there are jobs to ask for.
SweepQueue ask_queue(const std::vector<sweep::slurm::Job>& jobs);

/// The last line that a command said: there it tells what was too much for it.
std::string last_line(const std::string& text);

}  // namespace tsunagi::app
