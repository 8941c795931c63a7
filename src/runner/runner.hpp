// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "report/recorder.hpp"
#include "runner/outcome.hpp"
#include "runner/run_config.hpp"

namespace tsunagi::runner {

/// What the simulation counted itself.
struct Counts {
  std::uint64_t wakeups = 0;
  std::uint64_t packet_hops = 0;
  Time simulated;
  /// Not empty: the attempt found out that it went wrong; the run is to be done again with these findings.
  std::string findings = {};
  /// What an observer made of the run, if there was one.
  std::string report = {};
  /// Not empty: the run has failed, for these reasons, but its rows are worth a look.
  std::vector<std::string> problems = {};
  /// What each direction of each wire counted, if that was asked for.
  report::Rows counters = {};
  /// It was stopped before its end (see Oversight).
  bool stopped = false;
};

/// Elaborates and simulates one run, with the findings of the attempt before (empty: it is the first). Called in a
/// process of its own, at most once there; may throw config::ConfigError (exit 2) or any std::exception (exit 1).
using Simulate = std::function<Counts(const RunConfig&, const std::string& findings, report::Recorder&)>;

/// How far the runs under way are.
struct Glance {
  std::int64_t rows = 0;  ///< measured by all of them
  Time simulated;         ///< by the last of them
  int done = 0;           ///< iterations of that one, of
  int all = 0;            ///< so many; 0: it does not tell
};

/// How runs are run; nothing here changes a result.
struct Options {
  int jobs = 1;                        ///< processes at a time, >= 1
  std::optional<double> limit_wall_s;  ///< a run that takes longer is killed and failed
  std::optional<Bytes> limit_memory;   ///< a run that grows larger (resident set) is killed and failed
  /// Told at first and after each run that ended: how many of how many distinct runs.
  std::function<void(std::size_t done, std::size_t total)> progress;
  /// Told a few times a second while runs are under way.
  std::function<void(const Glance&)> watch;
  /// How long a run may take after Ctrl-C to stop and to hand over what it has; then it is killed.
  double patience_s = 0;
};

/// Runs every config in a process of its own, equal resolved configs once, and returns an outcome
/// for each in the order given. An attempt that ends with findings is followed by another; their costs add up. A crash,
/// signal, exception or limit passed is a failed outcome. The caller must not have created any SystemC object. Ctrl-C
/// ends all children; what had not ended is `interrupted`, with what it could hand over. The children die with the
/// caller. Throws std::system_error when the system gives no process or pipe.
std::vector<Outcome> run_many(const std::vector<RunConfig>& runs, const Simulate& simulate,
                              const Options& options = {});

/// `run_many` for a single run.
Outcome run_one(const RunConfig& run, const Simulate& simulate, const Options& options = {});

}  // namespace tsunagi::runner
