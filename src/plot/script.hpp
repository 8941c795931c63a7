// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plot/plot.hpp"

namespace tsunagi::plot {

/// A block a curve, in the order of the panels, behind those of a panel one of its published values (x, y, upper end,
/// gnuplot's point type, label); in the units of the axes.
std::string data_text(const Plot& plot);

/// The gnuplot script that draws NAME.svg from NAME.dat; `name` has no folder. Not `to_file`: to standard output.
std::string svg_script(const Plot& plot, const std::string& name, bool to_file = true);

/// The gnuplot script that draws panel `panel` in characters to standard output; holds its data.
std::string terminal_script(const Plot& plot, std::size_t panel, int columns, int rows, bool colour);

/// What the letters in the panels stand for, lines at most `columns` wide where names are not longer; may be empty.
std::string terminal_legend(const Plot& plot, int columns);

}  // namespace tsunagi::plot
