// SPDX-License-Identifier: Apache-2.0
// How far a sweep is, whoever simulates it where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sweep/collect/collect.hpp"
#include "sweep/results/run.hpp"

namespace tsunagi::sweep {

/// Who has a point that has no result yet: a job that waits or runs, or nobody.
enum class Hand { nobody, queued, running };
using HandOf = std::function<Hand(const std::string& id)>;

/// Points of the plan by where they stand; those that are equal count each, as when they are collected.
struct Standing {
  std::size_t done = 0;     ///< a good result is there
  std::size_t failed = 0;   ///< a result is there, and says that the point failed
  std::size_t running = 0;  ///< without a result, in a shard that runs
  std::size_t queued = 0;   ///< without a result, in a shard that waits
  std::size_t missing = 0;  ///< without a result, and nobody is at it

  std::size_t total() const { return done + failed + running + queued + missing; }
};

/// What a standing is told of on the way.
struct StandingTold {
  Complaint complaint;                                       ///< of damaged results, which count as none
  std::function<void(const Point&, const Result&)> failure;  ///< of points that failed
};

Standing standing(const Points& points, const Results& results, const HandOf& hand, const StandingTold& told);

/// What is left to submit.
struct Missing {
  std::vector<std::uint64_t> shards;  ///< of `count`, ascending: those with points that nobody has
  std::size_t points = 0;             ///< in them
  std::size_t in_hand = 0;            ///< points without a result that a job has
};

/// `retry_failed`: points that failed are to be simulated again.
Missing missing(const Points& points, const Results& results, const HandOf& hand, std::uint64_t count,
                bool retry_failed);

}  // namespace tsunagi::sweep
