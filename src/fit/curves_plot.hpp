// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fit/fit.hpp"
#include "plot/plot.hpp"

namespace tsunagi::fit {

/// Measured curves as points, simulated ones as lines; a panel for each kind of value.
plot::Plot curves_plot(const Problem& problem, const Fit& fit);

}  // namespace tsunagi::fit
