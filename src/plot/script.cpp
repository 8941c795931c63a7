// SPDX-License-Identifier: Apache-2.0
#include "plot/script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/table_layout.hpp"

namespace tsunagi::plot {
namespace {

/// What the numbers of an axis are divided by, and what that is called.
struct Scale {
  const char* name;
  double size;
};

Scale scale_of(Unit unit, double largest) {
  if (unit == Unit::bytes) return {"", 1};
  if (unit == Unit::rate)
    return largest < 1e6 ? Scale{"kB/s", 1e3} : largest < 1e9 ? Scale{"MB/s", 1e6} : Scale{"GB/s", 1e9};
  if (unit != Unit::time) return {"", 1};
  if (largest < 1e-6) return {"ns", 1e-9};
  if (largest < 1e-2) return {"us", 1e-6};
  return largest < 10 ? Scale{"ms", 1e-3} : Scale{"s", 1};
}

struct Range {
  double low = 0;
  double high = 0;
};

/// The range of x, or of y, over these panels.
Range range(const std::vector<Panel>& panels, double Point::*part) {
  std::vector<double> values;
  for (const Panel& panel : panels) {
    for (const Series& s : panel.series)
      for (const Point& p : s.points) values.push_back(p.*part);
    for (const Published& p : panel.published) values.push_back(Point{p.x, p.y}.*part);
  }
  if (values.empty()) return {1, 1};
  return {*std::min_element(values.begin(), values.end()), *std::max_element(values.begin(), values.end())};
}

Scale x_scale(const Plot& plot) { return scale_of(plot.x.unit, range(plot.panels, &Point::x).high); }

Scale y_scale(const Panel& panel) { return scale_of(panel.y.unit, range({panel}, &Point::y).high); }

/// A text in single quotes, in which gnuplot knows no escapes but '' for a quote.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out += '\'';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + "'";
}

/// A text in a data file: double quotes around it, none inside.
std::string data_word(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20; },
      ' ');
  return "\"" + text + "\"";
}

std::string axis_label(const Axis& axis, Scale scale) {
  return quoted(*scale.name == '\0' ? axis.name : fmt::format("{} ({})", axis.name, scale.name));
}

/// "8 B", "64 B", "512 B", "4 KiB", …: powers of two, at most `most` of them.
std::string size_tics(Range sizes, int most) {
  const int first = static_cast<int>(std::floor(std::log2(std::max(1.0, sizes.low))));
  const int last = static_cast<int>(std::ceil(std::log2(std::max(1.0, sizes.high))));
  const int step = std::max(1, (last - first + most) / most);
  std::string out;
  for (int power = first; power <= last; power += step)
    out += fmt::format("{}'{}' {}", out.empty() ? "" : ", ", report::human_bytes(Bytes(std::int64_t{1} << power)),
                       std::int64_t{1} << power);
  return "set xtics (" + out + ")\n";
}

std::string x_commands(const Plot& plot, int tics) {
  std::string out = "set xrange [*:*] noextend\nset offsets graph 0.02, graph 0.02, 0, 0\n";
  out += fmt::format("set xlabel {}\n", axis_label(plot.x, x_scale(plot)));
  if (!plot.x.logarithmic) return out;
  return out + "set logscale x 2\n" + size_tics(range(plot.panels, &Point::x), tics);
}

std::string y_commands(const Panel& panel) {
  const std::string label = fmt::format("set ylabel {}\n", axis_label(panel.y, y_scale(panel)));
  return label + (panel.y.logarithmic ? "set logscale y\nset yrange [*:*]\n" : "unset logscale y\nset yrange [0:*]\n");
}

/// Colours after Okabe and Ito and points of different shapes: told apart by the colour-blind and in print.
std::string styles() {
  constexpr std::array<const char*, 8> colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                               "#e69f00", "#56b4e9", "#000000", "#888888"};
  constexpr std::array<int, 8> points{7, 5, 9, 13, 11, 6, 4, 8};
  std::string out;
  for (std::size_t i = 0; i < colours.size(); ++i)
    out += fmt::format("set style line {} lc rgb '{}' lw 2 pt {} ps 0.7\n", i + 1, colours[i], points[i]);
  return out;
}

/// The block of each curve, then of the published points if there are any.
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
    block += fmt::format("{:.10g} {:.10g} {}\n", p.x / x.size, p.y / y.size, data_word(p.label));
  if (!block.empty()) out.push_back(std::move(block));
  return out;
}

/// "plot A, B, …" of a panel; `source(i)` names the data of its block i.
template <class Source>
std::string plot_command(const Panel& panel, bool styled, Source source) {
  std::string out;
  const auto add = [&out](const std::string& item) { out += (out.empty() ? "plot " : ", \\\n     ") + item; };
  for (std::size_t i = 0; i < panel.series.size(); ++i) {
    const std::string& name = panel.series[i].name;
    const std::string style = styled ? fmt::format(" ls {}", i % 8 + 1) : fmt::format(" pt {}", i % 26 + 1);
    const std::string title =
        name.empty() ? (panel.published.empty() ? "notitle" : "title 'simulated'") : "title " + quoted(name);
    add(fmt::format("{} using 1:2 with linespoints{} {}", source(i), style, title));
  }
  if (!panel.published.empty()) {
    const std::string data = source(panel.series.size());
    add(data + " using 1:2 with points" + (styled ? " lc rgb '#000000' pt 3 ps 1.3 lw 1.5" : " pt 15") +
        " title 'published'");
    if (styled) add(data + " using 1:2:3 with labels offset 0,1 font ',10' notitle");
  }
  return out + "\n";
}

}  // namespace

std::string data_text(const Plot& plot) {
  std::string out = "# Blocks are told apart by two empty lines: index 0, 1, ... of gnuplot.\n";
  int index = 0;
  for (const Panel& panel : plot.panels) {
    const std::string head =
        fmt::format("{} {}", axis_label(plot.x, x_scale(plot)), axis_label(panel.y, y_scale(panel)));
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

std::string svg_script(const Plot& plot, const std::string& name) {
  std::string out =
      fmt::format("# Written by tsunagi. Restyle it, then draw again, in this folder: gnuplot {}.gp\n", name);
  out += "set encoding utf8\n";
  out += fmt::format("set terminal svg size 900,{} font 'Helvetica,13' noenhanced background '#ffffff'\n",
                     plot.panels.size() == 1 ? 520 : 60 + 400 * plot.panels.size());
  out += fmt::format("set output {}\n", quoted(name + ".svg"));
  out += styles();
  out += "set grid lc rgb '#dddddd' lw 1\nset border lc rgb '#444444'\n";
  out += "set key outside right top\nset lmargin 11\n";
  out += x_commands(plot, 12);
  out +=
      fmt::format("set multiplot layout {},1 title {} font ',16' noenhanced\n", plot.panels.size(), quoted(plot.title));
  std::size_t index = 0;
  for (const Panel& panel : plot.panels) {
    out += y_commands(panel);
    out += plot_command(panel, true,
                        [&](std::size_t i) { return fmt::format("{} index {}", quoted(name + ".dat"), index + i); });
    index += panel.series.size() + (panel.published.empty() ? 0 : 1);
  }
  return out + "unset multiplot\n";
}

std::string terminal_script(const Plot& plot, std::size_t panel_number, int columns, int rows, bool colour) {
  const Panel& panel = plot.panels[panel_number];
  std::string out = fmt::format("set encoding utf8\nset terminal dumb size {},{} noenhanced{}\n", columns, rows,
                                colour ? " ansi" : " mono");
  const std::vector<std::string> all = blocks(plot, panel);
  for (std::size_t i = 0; i < all.size(); ++i) out += fmt::format("$data{} << end_of_data\n{}end_of_data\n", i, all[i]);
  out += fmt::format("set title {}\nset key above\n", axis_label(panel.y, y_scale(panel)));  // it does not draw ylabel
  out += x_commands(plot, std::max(2, (columns - 12) / 9)) + y_commands(panel);
  return out + plot_command(panel, false, [](std::size_t i) { return fmt::format("$data{}", i); });
}

}  // namespace tsunagi::plot
