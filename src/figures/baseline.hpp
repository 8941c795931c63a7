// SPDX-License-Identifier: Apache-2.0
// What `check --format json` wrote before, and what moved since.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/config.hpp"
#include "figures/figure_check.hpp"

namespace tsunagi::figures {

/// A figure as it came out before.
struct Pinned {
  std::string id;
  std::string system;               ///< empty: not told
  std::optional<double> simulated;  ///< nothing: it had no value
  /// Of each of its runs name and digest; nothing: not told, as before there were any.
  std::optional<std::vector<std::pair<std::string, std::string>>> digests;
};

struct Baseline {
  std::string file;
  std::string version;  ///< of the program and models that made it; empty: not told
  std::vector<Pinned> figures;
};

/// Reads what `check --format json` wrote; keys that it does not need may be there or not. Throws config::ConfigError.
Baseline baseline_in(const config::Document& document);

/// How figures stand to a baseline.
struct Moves {
  enum class Kind { same, moved, added };
  struct Move {
    Kind kind = Kind::added;
    std::optional<double> before;  ///< the value in the baseline
    std::string what;              ///< of what moved: "0.9 -> 0.95 us (+5.56 %)"
  };
  std::vector<Move> figures;  ///< of each verdict
  std::vector<Pinned> gone;   ///< figures that the baseline has and nobody else

  /// Whether nothing that the baseline has moved or is gone.
  bool all_hold() const;
};

/// Whether the baseline says something of a figure of these, so that it can pin anything.
bool pins_any(const Baseline& baseline, const std::vector<FigureEntry>& figures);

/// Values and digests must be equal, exactly. `may_be_gone` says which figures of the baseline are meant to be among
/// the verdicts.
Moves moves_since(const Baseline& baseline, const std::vector<Verdict>& verdicts,
                  const std::function<bool(const Pinned&)>& may_be_gone);

/// A line with the sums, then one for each figure that moved, is new or is gone.
std::string text(const Baseline& baseline, const Moves& moves, const std::vector<Verdict>& verdicts);

}  // namespace tsunagi::figures
