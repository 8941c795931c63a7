// SPDX-License-Identifier: Apache-2.0
// How far the published figures move with each parameter that is assumed or fitted.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "figures/figure_files.hpp"
#include "figures/parameters.hpp"
#include "runner/runner.hpp"

namespace tsunagi::figures {

/// What could not be simulated.
struct Fault {
  std::size_t change = 0;
  std::string why;
};

/// A figure as it is, and with each change.
struct FigureMoves {
  FigureEntry entry;
  std::optional<double> now;  ///< in the figure's unit
  std::string why;            ///< why there is no value now
  /// Of each change; nothing: it is in none of its runs, a fault, or was not tried.
  std::vector<std::optional<double>> simulated;
};

struct Sensitivity {
  std::vector<Parameter> parameters;
  std::vector<Change> changes;
  std::vector<FigureMoves> figures;
  std::vector<Fault> faults;           ///< changes that a config or a simulation refuses, in their order
  std::size_t runs = 0;                ///< that were simulated
  std::vector<FigureEntry> stood_for;  ///< figures for which another one of these stands (Figure::moves_with)
  std::vector<FigureEntry> left_out;   ///< figures that were not asked for, since their runs take minutes
  bool interrupted = false;            ///< the rest is not valid
};

/// Simulates the figures that have runs with one parameter changed at a time; of those that move with another one of
/// them only that. What moves a figure at neither end of its range is not tried for it within the range. `kinds` are
/// those that the run files may choose from. Throws config::ConfigError for a wrong run file or expression, or when a
/// run is refused as it is.
Sensitivity sensitivity(const std::vector<FigureEntry>& figures, const config::Kinds& kinds,
                        const runner::Simulate& simulate, const runner::Options& options);

/// The first line of why something failed: a table has room for one.
std::string first_line(const std::string& text);

/// How far some changes move a figure.
struct Spread {
  double low = 0;  ///< least and largest value, the one now included
  double high = 0;
  std::optional<std::size_t> most;  ///< the change that moves it most; none moves it
  std::vector<std::size_t> turn;    ///< changes that take it out of its tolerance; into it, if it misses now
};

/// Over the ends of the ranges, or over 10 % less and more. The figure has a value now.
enum class Over { ends, tenths };
Spread spread_of(const Sensitivity& all, const FigureMoves& figure, Over over);

/// Indices of the parameters that were changed and moved no figure.
std::vector<std::size_t> unmoving(const Sensitivity& all);

}  // namespace tsunagi::figures
