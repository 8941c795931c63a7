// SPDX-License-Identifier: Apache-2.0
// What all ranks did at the same time, each on a line of its own.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "explain/history.hpp"
#include "units/time.hpp"

namespace tsunagi::explain {

/// A stretch of a rank's time: a named step of its library, or a wait for another rank.
struct RankStage {
  std::string what;
  bool is_wait = false;
  Time begin;
  Time end;
};

/// One rank's stretches in order, none overlapping: where it waits, that is told and not the steps of waiting. What
/// stands between them is its program's own.
struct RankLine {
  int rank = 0;
  std::vector<RankStage> stages;
};

struct RankTimeline {
  std::vector<RankLine> lines;  ///< by rank
  std::size_t left_out = 0;     ///< ranks that have stages, too
};

/// What ranks did in [begin, end], cut to that. At most `most_ranks` ranks and `most_stages` stages: ranks of `first`
/// before others, those by their numbers; a rank whose stages do not fit is left out, and so are all after it.
RankTimeline rank_timeline(const History& history, Time begin, Time end, const std::vector<int>& first,
                           std::size_t most_ranks = 128, std::size_t most_stages = 8'000);

/// [{"rank", "stages": [{"what", "kind": "step" or "wait", "start_fs", "duration_fs"}]}], starts counted from `zero`.
nlohmann::ordered_json to_json(const RankTimeline& timeline, Time zero);

}  // namespace tsunagi::explain
