// SPDX-License-Identifier: Apache-2.0
// The runs behind a sensitivity: each as it is, and with one parameter changed at a time.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "figures/parameters.hpp"
#include "figures/run_plan.hpp"
#include "runner/runner.hpp"

namespace tsunagi::figures {

/// The runs of a plan and all changes of their parameters, simulated.
class ChangedRuns {
 public:
  /// All three must outlive it.
  ChangedRuns(const RunPlan& plan, const std::vector<Parameter>& parameters, const std::vector<Change>& changes);

  /// Simulates every run as it is and with every change that it has a place for. Unless `every_run` it spares long runs
  /// the parameters that they do not read: a change that moves nothing of the run in short (one iteration of each
  /// size), no row, step, copy or wake-up, is taken to move nothing of the run. False: interrupted.
  bool simulate(const config::Kinds& kinds, const runner::Simulate& simulate, const runner::Options& options,
                bool every_run);

  /// How many runs there are, those as they are included.
  std::size_t size() const { return now_.size() + jobs_.size(); }
  /// How many of these a run in short has spared.
  std::size_t spared() const { return spared_; }

  const runner::Outcome& now(std::size_t run) const { return now_[run]; }
  /// Of the runs of a figure, in its order.
  std::vector<const runner::Outcome*> now_of(std::size_t figure) const;
  /// The same with the change where a run has a place for it; empty if none has.
  std::vector<const runner::Outcome*> changed_of(std::size_t figure, std::size_t change) const;
  /// The first run that the change breaks, or null.
  const runner::Outcome* broken_by(std::size_t change) const;

 private:
  /// A change of a run.
  struct Job {
    std::size_t run = 0;
    std::size_t change = 0;
    runner::Outcome outcome = {};
  };
  class Batch;

  /// Which runs are worth it, and what they give in short as they are; empty: it is not. False: interrupted.
  bool simulate_in_short(Batch& batch, std::vector<std::string>& prints) const;

  const RunPlan& plan_;
  const std::vector<Parameter>& parameters_;
  const std::vector<Change>& changes_;
  std::vector<runner::Outcome> now_;
  std::vector<Job> jobs_;
  std::vector<std::vector<const runner::Outcome*>>
      changed_;  // by change and run; null: no place, or it changes nothing
  std::size_t spared_ = 0;
};

}  // namespace tsunagi::figures
