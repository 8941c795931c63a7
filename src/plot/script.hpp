// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plot/plot.hpp"

namespace tsunagi::plot {

/// A block a curve, in the order of the panels, then their published points; values in the units of the axes.
std::string data_text(const Plot& plot);

/// The gnuplot script that draws NAME.svg from NAME.dat; `name` has no folder.
std::string svg_script(const Plot& plot, const std::string& name);

/// The gnuplot script that draws panel `panel` in characters to standard output; holds its data.
std::string terminal_script(const Plot& plot, std::size_t panel, int columns, int rows, bool colour);

}  // namespace tsunagi::plot
