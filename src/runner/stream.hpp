// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "runner/runner.hpp"

namespace tsunagi::runner {

/// One run of a stream.
struct Task {
  /// Makes the config; called in the run's own process, once an attempt, so that many cost the caller nothing. A
  /// config::ConfigError that it throws is the run's outcome. Empty: there is nothing to run, go on with the next.
  std::function<RunConfig()> config;
  /// Told in the caller's process when the run has ended. What it throws ends the stream and its children.
  std::function<void(Outcome)> ended;
};

/// The next run, when there is room for one; nothing: there are no more.
using NextTask = std::function<std::optional<Task>()>;

/// `run_many` for runs that are made on demand and dropped as they end: any number of them in constant memory. Equal
/// configs are not noticed, and `options.progress` is not told. After Ctrl-C no run is begun, those under way end as
/// `interrupted`, and the result is false.
bool run_stream(const NextTask& next, const Simulate& simulate, const Options& options);

}  // namespace tsunagi::runner
