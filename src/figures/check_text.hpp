// SPDX-License-Identifier: Apache-2.0
// Figures beside their simulations, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "figures/figure_check.hpp"

namespace tsunagi::figures {

/// A table, and below it how many passed and what they prove; `colored` for a terminal.
std::string text(const std::vector<Verdict>& verdicts, bool colored);

/// `{"figures": [...]}` as DESIGN 1 says; a figure without a run has null for what only a run gives.
std::string json(const std::vector<Verdict>& verdicts);

/// RFC 4180: a header with the keys of `json`, a line a figure; what is null there is empty here.
std::string csv(const std::vector<Verdict>& verdicts);

}  // namespace tsunagi::figures
