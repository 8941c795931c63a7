// SPDX-License-Identifier: Apache-2.0
// Curves from tables, drawn by gnuplot.
//
//   const Table table = table_of(outcome.rows);
//   Plot plot = plot_of("PIO", table, choose(table, {}));
//   add(plot, {"size", "8 B", "latency", "0.9 us", "", Bound::none, "0.9 us, section 4.2"});
//   write(plot, "pio");                   // pio.gp, pio.dat, pio.svg
//   in_terminal(plot, 80, 24, false);
#pragma once

#include <string>
#include <vector>

#include "plot/table.hpp"

namespace tsunagi::plot {

/// In base units (bytes, seconds, bytes a second, metres, plain numbers).
struct Point {
  double x = 0;
  double y = 0;
};

/// One curve; points in ascending x.
struct Series {
  std::string name;
  std::vector<Point> points;
  bool scattered = false;  ///< different points of one x that nothing tells apart: no line joins them
};

/// What a published value says of the true one.
enum class Bound { none, at_most, at_least };

/// A published value, drawn as a point of its own.
struct Published {
  double x = 0;
  double y = 0;
  double upper = 0;  ///< upper end of a range that begins at y; else y
  Bound bound = Bound::none;
  std::string label;
};

/// A bound that no point of a panel can exceed, drawn as a line.
struct Ceiling {
  std::string name;
  double y = 0;
};

struct Axis {
  std::string name;
  Unit unit = Unit::number;
  bool logarithmic = false;
};

/// One y axis with its curves.
struct Panel {
  Axis y;
  std::vector<Series> series;
  std::vector<Published> published;
  std::vector<Ceiling> ceilings = {};
};

/// Panels over the same x axis.
struct Plot {
  std::string title;
  Axis x;
  std::vector<Panel> panels;
  std::string curves;  ///< what the names of the curves are values of: "nodes, load"; may be empty
  /// Not empty: no number varies. Bars instead of curves, at x 0, 1, … one for each of these.
  std::vector<std::string> categories = {};
};

/// Which columns of a table are drawn.
struct Choice {
  std::string x;
  std::vector<std::string> ys;      ///< a panel each
  std::vector<std::string> series;  ///< rows that agree in these are one curve
};

/// What of a choice is given.
struct Wish {
  std::string x;                    ///< empty: chosen
  std::vector<std::string> ys;      ///< empty: chosen
  std::vector<std::string> series;  ///< empty: chosen
  std::size_t axes = 0;             ///< so many columns stand in front that are the axes of a sweep
};

/// What is worth drawing: x is "size" if it varies, else of the axes the numbers with the most values, else the first
/// numbers that vary; ys are a time (latency first) and a rate; series are the columns that tell rows of the same x
/// apart. Without numbers that vary, and for an x of texts, x is empty: then the series are categories, a bar each.
/// Columns that are not there are left empty. Throws std::invalid_argument for a wish for no column of the table, or
/// for a y of texts.
Choice choose(const Table& table, const Wish& wish);

/// Throws std::invalid_argument for columns that are not in the table, hold text where numbers are due, or if nothing
/// is left to draw.
Plot plot_of(const std::string& title, const Table& table, const Choice& choice);

/// A published value as people write it.
struct Reference {
  std::string x;      ///< the column along which it has its place: "size"
  std::string at;     ///< the place: "8 KiB"
  std::string y;      ///< the column that it is a value of: "latency"
  std::string value;  ///< "0.9 us"
  std::string upper;  ///< upper end of a range that begins at `value`; else empty
  Bound bound = Bound::none;
  std::string label;
};

/// Adds a published value to the panel of its column. Left out if the plot has other columns or units, or if its place
/// is outside of what the curves span.
void add(Plot& plot, const Reference& reference);

/// Adds to panels of rates the bounds of the rows of a run: of each method the lowest one. Left out where the curves
/// stay far below it.
void add_ceilings(Plot& plot, const report::Rows& rows);

/// Throws std::runtime_error that names the package if there is no gnuplot.
void check_gnuplot();

/// Writes STEM.gp, STEM.dat and, with gnuplot, STEM.svg, each as a whole or not at all; `gnuplot STEM.gp` in that
/// folder draws it again. Throws std::system_error if a file cannot be written, std::runtime_error if gnuplot fails.
void write(const Plot& plot, const std::string& stem);

/// The plot in characters, `columns` wide, each panel about `rows` high, the legend below; with ANSI colours if
/// `colour`. Throws std::runtime_error if gnuplot fails.
std::string in_terminal(const Plot& plot, int columns, int rows, bool colour);

}  // namespace tsunagi::plot
