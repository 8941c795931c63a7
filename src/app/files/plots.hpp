// SPDX-License-Identifier: Apache-2.0
// `--plot` and `--term`: what the commands that draw rows share.
#pragma once

#include <boost/program_options.hpp>
#include <string>
#include <vector>

#include "app/shell/command_line.hpp"
#include "config/config.hpp"
#include "plot/plot.hpp"
#include "report/recorder.hpp"

namespace tsunagi::app {

void add_plot_options(CommandLine& line);

/// Throws UsageError if there is no gnuplot.
void check_gnuplot();

/// Rows with the figures that were published of them.
struct Drawn {
  std::string title;
  const report::Rows& rows;
  const config::Document& run;  ///< that they are of, or that was varied along axes
  std::size_t axes = 0;         ///< the first columns of the rows
  plot::Wish wish = {};         ///< unless the command line says something else
};

/// --x, --y and --by, which choose what is drawn, and --configs, whose published figures are drawn beside it.
void add_column_options(CommandLine& line);

/// The plot with the columns that --x, --y and --by choose. Throws UsageError for columns that cannot be drawn, and for
/// rows without curves.
plot::Plot plot_of(const boost::program_options::variables_map& values, const Drawn& drawn);

/// Draws to standard output, as wide and high as the terminal. Throws std::runtime_error if gnuplot fails.
void draw_in_terminal(const plot::Plot& plot);

/// Throws UsageError if a plot is wanted that cannot be made: no SVG file, a folder that is not there, no gnuplot; or
/// if columns of it are chosen and none is wanted; or if `--out` names a file of it.
void check_plots(const boost::program_options::variables_map& values);

/// The files that `--plot` makes.
std::vector<std::string> plot_files(const boost::program_options::variables_map& values);

/// Emits `text`, the rows as printed, and draws the rows as the options say; `--term` draws instead of printing unless
/// `--out` takes the text, or nothing can be drawn. Throws what plot_of, draw_in_terminal and plot::write throw.
void emit_and_plot(const boost::program_options::variables_map& values, const std::string& text, const Drawn& drawn);

}  // namespace tsunagi::app
