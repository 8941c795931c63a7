// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "figures/figure_files.hpp"
#include "runner/runner.hpp"

namespace tsunagi::figures {

/// What became of a figure. A miss is known as long as it is where missed.json has it, by 1 %.
enum class FigureStatus { pass, miss, known_miss, no_run };

/// "pass", "miss", "known_miss", "no_run".
std::string name_of(FigureStatus status);

/// A figure held against its simulation.
struct Verdict {
  FigureEntry entry;
  FigureStatus status = FigureStatus::no_run;
  std::optional<double> simulated;  ///< in the figure's unit
  /// Of each of its runs that ended well, the name and the digest of all rows.
  std::vector<std::pair<std::string, std::string>> digests;
  double wall_s = 0;                ///< that its runs took, those that it shares with other figures included
  std::vector<std::string> fitted;  ///< parameters fitted to it: where their source stands, and a pointer
  std::string why;                  ///< why there is no value, or what is odd about it; may be empty
};

/// All verdicts, in the order of the figures.
struct CheckResult {
  std::vector<Verdict> verdicts;
  bool interrupted = false;  ///< figures whose runs had not ended by then are as those without a run
};

/// Whether a verdict's value passes, misses or is a known miss, and what is odd about that.
void judge(Verdict& verdict, const std::vector<KnownMiss>& missed);

/// Runs what the figures need, each distinct run once, and evaluates them. A figure of `missed` that does not
/// come out is a known miss; `kinds` are those that the run files may choose from. Throws config::ConfigError for a
/// wrong run file or a wrong expression.
CheckResult check_figures(const std::vector<FigureEntry>& figures, const std::vector<KnownMiss>& missed,
                          const config::Kinds& kinds, const runner::Simulate& simulate, const runner::Options& options);

}  // namespace tsunagi::figures
