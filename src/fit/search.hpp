// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

namespace tsunagi::fit {

/// A place among the free parameters: of each the share of its range, 0 .. 1.
using Shares = std::vector<double>;
/// How far simulated values are from measured ones.
using Residuals = std::vector<double>;

/// The sum of the squares.
double sum_of_squares(const Residuals& residuals);

/// Where a search ended.
struct Found {
  Shares at;
  Residuals residuals;  ///< there
  int evaluations = 0;
  bool converged = false;  ///< it ended because nothing better was to be found near, not for want of evaluations
};

/// Looks for the place with the least sum of squares, from `start` and without derivatives: NLopt's BOBYQA, and COBYLA
/// for one parameter. Ends when a step is less than a thousandth of a range, or after `most` evaluations (at least 1).
/// What `residuals` throws ends it; so does an empty answer: then the best so far is found.
Found search(const Shares& start, int most, const std::function<Residuals(const Shares&)>& residuals);

}  // namespace tsunagi::fit
