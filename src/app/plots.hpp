// SPDX-License-Identifier: Apache-2.0
// `--plot` and `--term`: what the commands that print rows share.
#pragma once

#include <boost/program_options.hpp>
#include <string>

#include "app/command_line.hpp"
#include "report/recorder.hpp"

namespace tsunagi::app {

void add_plot_options(CommandLine& line);

/// Throws UsageError if a plot is wanted that cannot be made: no SVG file, a folder that is not there, no gnuplot.
void check_plots(const boost::program_options::variables_map& values);

/// Emits `text`, the rows as printed, and draws the rows as the options say; `--term` draws instead of printing unless
/// `--out` takes the text. Throws std::runtime_error if gnuplot fails, std::invalid_argument for rows without curves.
void emit_and_plot(const boost::program_options::variables_map& values, const std::string& text,
                   const std::string& title, const report::Rows& rows);

}  // namespace tsunagi::app
