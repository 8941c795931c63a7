// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runner/runner.hpp"
#include "sweep/plan/plan.hpp"
#include "sweep/plan/point.hpp"
#include "sweep/plan/shard.hpp"
#include "sweep/results/result.hpp"

namespace tsunagi::sweep {

/// The points of a sweep, made on demand.
struct Points {
  std::size_t size = 0;
  std::vector<report::AxisColumn> axes;
  std::function<Point(std::size_t)> at;
  /// Reads a point's run; called in the run's own process. Throws config::ConfigError: then this point has failed.
  std::function<RunConfig(const Point&)> config;
};

/// Those of a plan, which must outlive them.
Points points_of(const Plan& plan, const config::Kinds& kinds);

/// How far a sweep is. A point is counted once however often it occurs in the plan; what repeats it is skipped.
struct Tally {
  std::size_t done = 0;     ///< simulated, and good
  std::size_t failed = 0;   ///< simulated or found in the results, and not good
  std::size_t skipped = 0;  ///< found in the results, and good; or equal to a point before
  std::size_t left = 0;     ///< not looked at yet, or interrupted; of all shards
  bool interrupted = false;

  std::size_t points() const { return done + failed + skipped; }
};

/// How a sweep is run.
struct Orders {
  runner::Options runner;
  Shard shard;
  bool retry_failed = false;  ///< else what has failed is not run again
  /// In place of the limit in the points' own options; no part of their ids.
  std::optional<Time> limit_simulated_time;
  std::function<void(const Tally&)> progress;         ///< told after each point
  std::function<void(const std::string&)> complaint;  ///< told of damaged results, which are made again if that can be
  std::function<void(const Point&, const Result&)> failure;  ///< told of each point that failed, now or before
};

/// Simulates the points of a shard that `results` lacks, equal ones once, and keeps each result as soon as it is there.
/// Ends early after Ctrl-C. Throws what `results` throws; what was kept stays.
Tally run(const Points& points, Results& results, const runner::Simulate& simulate, const Orders& orders);

/// Results that live as long as the program.
class MemoryResults final : public Results {
 public:
  std::optional<Result> find(const std::string& id) const override;
  bool keep(const Result& result) override;

 private:
  std::map<std::string, Result> results_;
};

}  // namespace tsunagi::sweep
