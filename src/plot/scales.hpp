// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "plot/plot.hpp"

namespace tsunagi::plot {

/// What the numbers of an axis are divided by, and what that is called.
struct Scale {
  const char* name = "";
  double size = 1;
};

/// The scale at which the largest number of an axis reads well; bytes stay bytes.
Scale scale_of(Unit unit, double largest);

struct Range {
  double low = 0;
  double high = 0;
};

/// Of all curves and published values; of the panels' x and of one panel's y.
Range x_range(const Plot& plot);
Range y_range(const Panel& panel);

Scale x_scale(const Plot& plot);
Scale y_scale(const Panel& panel);

/// "latency (us)".
std::string axis_text(const Axis& axis, Scale scale);

/// Names of the curves of all panels, each once, as they appear: a curve looks the same in every panel.
std::vector<std::string> names_of(const Plot& plot);

bool has_published(const Plot& plot);

/// What the legend says of the curve of that name; empty: nothing has to be said.
std::string title_of(const Plot& plot, const std::string& name);

}  // namespace tsunagi::plot
