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

/// The scale at which the largest number of an axis reads well; bytes stay bytes, millionths ("load_ppm") become %.
Scale scale_of(const Axis& axis, double largest);

struct Range {
  double low = 0;
  double high = 0;
};

/// Of all curves, published values and ceilings; of the panels' x and of one panel's y.
Range x_range(const Plot& plot);
Range y_range(const Panel& panel);

/// What an axis shows: with room at its ends; linear ones begin at 0 unless that would leave half of the panel empty.
Range x_shown(const Plot& plot);
Range y_shown(const Plot& plot, const Panel& panel);

/// Tics of a logarithmic axis between two numbers: powers of ten, or 1, 2 and 5 times those where they are few.
std::vector<double> decades(Range range);

Scale x_scale(const Plot& plot);
Scale y_scale(const Panel& panel);

/// In words, with its unit: "message size (bytes)", "latency (µs)".
std::string axis_text(const Axis& axis, Scale scale);

/// Names of the curves of all panels, each once, as they appear: a curve looks the same in every panel.
std::vector<std::string> names_of(const Plot& plot);

bool has_published(const Plot& plot);

/// What the legend says of the curve of that name; empty: nothing has to be said.
std::string title_of(const Plot& plot, const std::string& name);

}  // namespace tsunagi::plot
