// SPDX-License-Identifier: Apache-2.0
#include "app/files/plots.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "app/files/config_files.hpp"
#include "app/files/published.hpp"
#include "app/files/run_file.hpp"
#include "app/shell/output.hpp"

namespace po = boost::program_options;

namespace tsunagi::app {
namespace {

const std::string extension = ".svg";

std::string stem_of(const po::variables_map& values) {
  const std::string file = values["plot"].as<std::string>();
  const bool is_svg =
      file.size() > extension.size() && file.compare(file.size() - extension.size(), extension.size(), extension) == 0;
  if (!is_svg) throw UsageError(fmt::format("--plot draws an SVG; name it so: \"{}{}\"", file, extension));
  return file.substr(0, file.size() - extension.size());
}

struct TerminalSize {
  int columns = 80;
  int rows = 24;
};

TerminalSize terminal_size() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {};
  return {size.ws_col, size.ws_row};
}

/// Checks one of the files of a plot. Throws std::runtime_error.
void check_part(const po::variables_map& values, const std::string& file) {
  check_writable(file);
  if (values.count("out") == 0) return;
  const auto place = [](const std::string& name) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(name));
  };
  if (place(values["out"].as<std::string>()) == place(file))
    throw std::runtime_error(fmt::format("--plot would write {} over what --out writes there", file));
}

}  // namespace

void add_plot_options(CommandLine& line) {
  line.option("plot", po::value<std::string>()->value_name("FILE.svg"),
              "draw the rows, too; the gnuplot script and its data stand beside it (.gp, .dat)");
  line.flag("term", "draw the rows in the terminal instead of printing them");
  add_column_options(line);
}

void add_column_options(CommandLine& line) {
  line.option("x", po::value<std::string>()->value_name("COLUMN"), "of a plot: what the x axis shows (default: size)");
  line.option("y", po::value<std::vector<std::string>>()->composing()->value_name("COLUMN"),
              "of a plot: what a y axis shows (default: latency, bandwidth); repeatable");
  line.option("by", po::value<std::vector<std::string>>()->composing()->value_name("COLUMN"),
              "of a plot: a curve for each value of it (default: what tells points apart); repeatable");
}

void check_gnuplot() {
  try {
    plot::check_gnuplot();
  } catch (const std::runtime_error& e) {
    throw UsageError(e.what());
  }
}

plot::Plot plot_of(const po::variables_map& values, const Drawn& drawn) {
  plot::Wish wish = drawn.wish;
  wish.axes = drawn.axes;
  if (values.count("x") != 0) wish.x = values["x"].as<std::string>();
  if (values.count("y") != 0) wish.ys = values["y"].as<std::vector<std::string>>();
  if (values.count("by") != 0) wish.series = values["by"].as<std::vector<std::string>>();
  try {
    const plot::Table table = plot::table_of(drawn.rows);
    plot::Plot plot = plot::plot_of(drawn.title, table, plot::choose(table, wish));
    add_published(plot, drawn.run, Configs(values));
    plot::add_ceilings(plot, drawn.rows);
    return plot;
  } catch (const std::invalid_argument& e) {
    throw UsageError(e.what());
  }
}

void draw_in_terminal(const plot::Plot& plot) {
  const TerminalSize size = terminal_size();
  const int each = size.rows / static_cast<int>(plot.panels.size());
  write_stdout(plot::in_terminal(plot, size.columns - 1, std::max(each, 16), stdout_has_color()));
}

std::vector<std::string> plot_files(const po::variables_map& values) {
  const std::string stem = stem_of(values);
  return {stem + ".gp", stem + ".dat", stem + extension};
}

void check_plots(const po::variables_map& values) {
  const bool file = values.count("plot") != 0;
  if (!file && values.count("term") == 0) {
    for (const char* choice : {"x", "y", "by"})
      if (values.count(choice) != 0) throw UsageError(fmt::format("--{} is for a plot; add --plot or --term", choice));
    return;
  }
  try {
    if (file)
      for (const std::string& part : plot_files(values)) check_part(values, part);
  } catch (const std::runtime_error& e) {
    throw UsageError(e.what());
  }
  check_configs(values);
  keep_inputs(values, figure_files(values));
  check_gnuplot();
}

void emit_and_plot(const po::variables_map& values, const std::string& text, const Drawn& drawn) {
  const bool file = values.count("plot") != 0;
  const bool terminal = values.count("term") != 0;
  const bool printed = !terminal || values.count("out") != 0;
  if (printed) emit(values, text);
  if (!file && !terminal) return;
  try {
    const plot::Plot plot = plot_of(values, drawn);
    if (file) plot::write(plot, stem_of(values));
    if (terminal) draw_in_terminal(plot);
  } catch (const std::exception&) {
    if (!printed) emit(values, text);  // what was simulated is not lost
    throw;
  }
}

}  // namespace tsunagi::app
