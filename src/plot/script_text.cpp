// SPDX-License-Identifier: Apache-2.0
#include "plot/script_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "plot/script.hpp"
#include "report/formats/table_layout.hpp"

namespace tsunagi::plot {
namespace {

/// A text in a data file: double quotes around it, none inside.
std::string data_word(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20; },
      ' ');
  return "\"" + text + "\"";
}

/// gnuplot's point types: a star; triangles that point to where the true value is; a dot at a range, which has bars.
int point_type(const Published& p) {
  constexpr int dot = 0;
  constexpr int star = 3;
  constexpr int up = 8;
  constexpr int down = 10;
  if (p.upper > p.y) return dot;
  return p.bound == Bound::none ? star : p.bound == Bound::at_least ? up : down;
}

/// "8 B", "64 B", "512 B", "4 KiB", …, or 4, 8, 16, …: powers of two, at most `most` of them.
std::string power_tics(Range values, Unit unit, int most) {
  const int first = static_cast<int>(std::floor(std::log2(std::max(1.0, values.low))));
  const int last = static_cast<int>(std::ceil(std::log2(std::max(1.0, values.high))));
  const int step = std::max(1, (last - first + most) / most);
  std::string out;
  for (int power = first; power <= last; power += step) {
    const std::int64_t value = std::int64_t{1} << power;
    const std::string text = unit == Unit::bytes ? report::human_bytes(Bytes(value)) : std::to_string(value);
    out += fmt::format("{}'{}' {}", out.empty() ? "" : ", ", text, value);
  }
  return "set xtics (" + out + ")\n";
}

/// A tic at each x where there are few, so that none is at a place where nothing was measured.
std::string few_values(const Plot& plot, int most) {
  std::set<double> values;
  for (const Panel& panel : plot.panels)
    for (const Series& s : panel.series)
      for (const Point& p : s.points) values.insert(p.x / x_scale(plot).size);
  double last = -1e300;
  const Range all = x_range(plot);
  const double least = (all.high - all.low) / x_scale(plot).size / most;
  std::string out;
  for (const double v : values) {
    if (v - last < least) return "set xtics autofreq\n";
    out += fmt::format("{}{:g}", out.empty() ? "" : ", ", v);
    last = v;
  }
  return "set xtics (" + out + ")\n";
}

}  // namespace

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out += '\'';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + "'";
}

std::vector<std::string> blocks(const Plot& plot, const Panel& panel) {
  const Scale x = x_scale(plot);
  const Scale y = y_scale(panel);
  std::vector<std::string> out;
  for (const Series& s : panel.series) {
    std::string block;
    for (const Point& p : s.points) block += fmt::format("{:.10g} {:.10g}\n", p.x / x.size, p.y / y.size);
    out.push_back(std::move(block));
  }
  std::string block;
  for (const Published& p : panel.published)
    block += fmt::format("{:.10g} {:.10g} {:.10g} {} {}\n", p.x / x.size, p.y / y.size, p.upper / y.size, point_type(p),
                         data_word(p.label));
  if (!block.empty()) out.push_back(std::move(block));
  return out;
}

std::string x_commands(const Plot& plot, int tics) {
  const Range shown = x_shown(plot);
  const double unit = x_scale(plot).size;
  const std::string out = fmt::format("set xrange [{:.10g}:{:.10g}]\n", shown.low / unit, shown.high / unit);
  if (!plot.categories.empty()) {
    std::string names;
    for (std::size_t i = 0; i < plot.categories.size(); ++i)
      names += fmt::format("{}{} {}", i == 0 ? "" : ", ", quoted(plot.categories[i]), i);
    return out + "set xtics (" + names + ")\n";
  }
  if (plot.x.logarithmic) return out + "set logscale x 2\n" + power_tics(x_range(plot), plot.x.unit, tics);
  return out + few_values(plot, tics);
}

std::string y_commands(const Plot& plot, const Panel& panel) {
  const Range shown = y_shown(plot, panel);
  const double unit = y_scale(panel).size;
  const std::string range = fmt::format("set yrange [{:.10g}:{:.10g}]\n", shown.low / unit, shown.high / unit);
  if (!panel.y.logarithmic) return "unset logscale y\nset format y\nset ytics autofreq\n" + range;
  std::string tics;
  for (const double at : decades({shown.low / unit, shown.high / unit}))
    tics += fmt::format("{}{:g}", tics.empty() ? "" : ", ", at);
  return fmt::format("set logscale y\nset format y '%g'\nset ytics ({})\n", tics) + range;
}

std::string plot_command(const std::vector<std::string>& items) {
  return fmt::format("plot {}\n", fmt::join(items, ", \\\n     "));
}

std::string data_text(const Plot& plot) {
  std::string out = "# Blocks are told apart by two empty lines: index 0, 1, ... of gnuplot.\n";
  if (!plot.curves.empty()) out += fmt::format("# Curves: {}\n", quoted(plot.curves));
  int index = 0;
  for (const Panel& panel : plot.panels) {
    const std::string head =
        fmt::format("{} {}", quoted(axis_text(plot.x, x_scale(plot))), quoted(axis_text(panel.y, y_scale(panel))));
    const std::vector<std::string> all = blocks(plot, panel);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string name = i < panel.series.size() ? panel.series[i].name : "published";
      out += fmt::format("{}# index {}: {}{}{}\n{}", index == 0 ? "" : "\n\n", index, head, name.empty() ? "" : " ",
                         name.empty() ? "" : quoted(name), all[i]);
      ++index;
    }
  }
  return out;
}

}  // namespace tsunagi::plot
