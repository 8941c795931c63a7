// SPDX-License-Identifier: Apache-2.0
// Figures beside their simulations, for people and for programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "figures/baseline.hpp"

namespace tsunagi::figures {

/// What `check` has to say.
struct CheckReport {
  const std::vector<Verdict>& verdicts;
  std::string version;         ///< of the program and the models
  std::optional<Moves> moves;  ///< since a baseline, if there is one
  bool incomplete = false;     ///< it was interrupted
};

/// A table, and below it how many passed and what they prove; `colored` for a terminal.
std::string text(const CheckReport& report, bool colored);

/// `{"tsunagi": version, "figures": [...]}` (docs/results.md), with `"incomplete": true` if it was interrupted and
/// `"gone"`, ids, if there is a baseline; a figure without a run has null for what only a run gives.
std::string json(const CheckReport& report);

/// RFC 4180: a header with the keys of a figure in `json`, a line a figure; what is null there is empty here.
std::string csv(const CheckReport& report);

}  // namespace tsunagi::figures
