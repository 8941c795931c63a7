// SPDX-License-Identifier: Apache-2.0
// What the commands that run many points share.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/shell/command_line.hpp"
#include "sweep/results/run.hpp"

namespace tsunagi::app {

/// Adds --jobs, --shard, --retry-failed and the limits.
void add_sweep_orders(CommandLine& line);

/// The value of --jobs; without it one job a core. Throws UsageError below 1.
int jobs(const boost::program_options::variables_map& values);

/// How the options want a sweep to be run. Throws UsageError.
sweep::Orders sweep_orders(const boost::program_options::variables_map& values);

/// `sweep::run` with a bar on standard error if that is a terminal, and complaints there.
sweep::Tally run_with_progress(const sweep::Points& points, sweep::Results& results, sweep::Orders orders);

/// Why points failed: of each message the first point that has it, and how many more there are.
class Failures {
 public:
  void add(const sweep::Point& point, const sweep::Result& result);
  /// On standard error, with what to do about it; nothing if none failed.
  void tell() const;

 private:
  struct Cause {
    std::string message;
    std::string point;
    std::size_t points = 0;
  };
  std::vector<Cause> causes_;
  std::size_t points_ = 0;
  std::size_t others_ = 0;  // of causes that are not kept
};

/// Lines for standard error, of which many would say the same: the first ten, and how many more there were.
class Complaints {
 public:
  void tell(const std::string& line);
  void end();

 private:
  std::size_t count_ = 0;
};

/// Notes on standard error axes along which nothing changed.
void tell_idle(const std::vector<std::string>& axes);

}  // namespace tsunagi::app
