// SPDX-License-Identifier: Apache-2.0
// What a fit prints.
#pragma once

#include <string>

#include "fit/fit.hpp"

namespace tsunagi::fit {

/// How far a curve is from its data.
struct Deviation {
  double mean = 0;     ///< of the parts by which points are off, above or below
  double largest = 0;  ///< of one point, with its sign
  std::size_t at = 0;  ///< that point
};
Deviation deviation(const MeasuredCurve& curve, const std::vector<double>& simulated);

/// A parameter's 95 % interval within its range, lowest and highest value as JSON text; nothing if the data say nothing
/// of it, or were not asked.
std::optional<std::pair<std::string, std::string>> interval(const Problem& problem, const Fit& fit,
                                                            std::size_t parameter);

/// Parameters, curves, what the data cannot tell apart and how it ended, for people.
std::string text(const Problem& problem, const Fit& fit);

/// The same and all points as JSON: docs/fit.md.
std::string json(const Problem& problem, const Fit& fit, const std::string& version);

}  // namespace tsunagi::fit
