// SPDX-License-Identifier: Apache-2.0
// What the data say of fitted parameters: how well they are known, and which of them cannot be told apart.
#pragma once

#include <vector>

#include "fit/search.hpp"

namespace tsunagi::fit {

/// The derivative of each residual (a row) by each parameter (a column), by shares of ranges.
using Jacobian = std::vector<std::vector<double>>;

/// A direction among the parameters along which the data would bear any place within the ranges, of length 1.
using Direction = std::vector<double>;

struct Estimate {
  std::vector<double> half_widths;  ///< of each parameter's 95 % interval, as a share of its range; 1 at most
  std::vector<Direction> untold;    ///< the weakest first
};

/// Linear least squares around the place that was found: intervals by Student's t with as many degrees of freedom as
/// there are more residuals than parameters (at least 1), directions by the singular values of the Jacobian: untold
/// where even half of a range is within the direction's own interval.
Estimate estimate(const Jacobian& jacobian, const Residuals& residuals);

}  // namespace tsunagi::fit
