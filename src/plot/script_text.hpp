// SPDX-License-Identifier: Apache-2.0
// Pieces that the scripts for files and for terminals share.
#pragma once

#include <string>
#include <vector>

#include "plot/scales.hpp"

namespace tsunagi::plot {

/// A text in single quotes, in which gnuplot knows no escapes but '' for a quote.
std::string quoted(const std::string& text);

/// The block of each curve, then of the published values if there are any.
std::vector<std::string> blocks(const Plot& plot, const Panel& panel);

/// Range, scale and at most about `tics` tics of x, without its label.
std::string x_commands(const Plot& plot, int tics);

/// Range and scale of y, without its label.
std::string y_commands(const Plot& plot, const Panel& panel);

/// "plot A, \ B, …".
std::string plot_command(const std::vector<std::string>& items);

}  // namespace tsunagi::plot
