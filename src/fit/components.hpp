// SPDX-License-Identifier: Apache-2.0
// Curves of fits as figures: how far parts, as they are, are from what was measured of them alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "figures/figure_check.hpp"
#include "fit/problem.hpp"

namespace tsunagi::fit {

/// The system that they are figures of.
inline const std::string components_system = "components";

/// A figure of each curve with an id, of system "components": its mean error, in per cent, at most its aim.
std::vector<figures::FigureEntry> component_figures(const FitFile& file, const std::filesystem::path& path);

/// Those of the fit with their values, or why they have none; nothing if that was interrupted.
std::optional<std::vector<figures::Verdict>> check_components(const Problem& problem, const std::filesystem::path& path,
                                                              const std::vector<figures::KnownMiss>& missed,
                                                              const runner::Simulate& simulate,
                                                              const runner::Options& options);

}  // namespace tsunagi::fit
