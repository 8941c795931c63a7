// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "plot/script.hpp"
#include "plot/script_text.hpp"

namespace tsunagi::plot {
namespace {

/// gnuplot draws point type 1 as A, 2 as B, …, and begins again after Z.
std::string letter(std::size_t index) { return std::string(1, static_cast<char>('A' + index % 26)); }
std::size_t point_type(std::size_t index) { return index % 26 + 1; }

/// Published values have the letters behind those of the curves.
std::size_t first_published(const Plot& plot, std::size_t panel) {
  std::size_t index = names_of(plot).size();
  for (std::size_t i = 0; i < panel; ++i) index += plot.panels[i].published.size();
  return index;
}

}  // namespace

std::string terminal_script(const Plot& plot, std::size_t panel_number, int columns, int rows, bool colour) {
  const Panel& panel = plot.panels[panel_number];
  std::string out = fmt::format("set encoding utf8\nset terminal dumb size {},{} noenhanced{}\n", columns, rows,
                                colour ? " ansi" : " mono");
  const std::vector<std::string> all = blocks(plot, panel);
  for (std::size_t i = 0; i < all.size(); ++i) out += fmt::format("$data{} << end_of_data\n{}end_of_data\n", i, all[i]);
  const bool last = panel_number + 1 == plot.panels.size();
  if (last) out += fmt::format("set xlabel {}\n", quoted(axis_text(plot.x, x_scale(plot))));
  out += fmt::format("set title {}\nunset key\n", quoted(axis_text(panel.y, y_scale(panel))));  // no ylabel is drawn
  out += x_commands(plot, std::max(2, (columns - 12) / 9)) + y_commands(plot, panel);
  const std::vector<std::string> names = names_of(plot);
  std::vector<std::string> items;
  for (std::size_t i = 0; i < panel.series.size(); ++i) {
    const auto name = std::find(names.begin(), names.end(), panel.series[i].name);
    items.push_back(fmt::format("$data{} using 1:2 with linespoints pt {}", i,
                                point_type(static_cast<std::size_t>(name - names.begin()))));
  }
  for (std::size_t i = 0; i < panel.published.size(); ++i)
    items.push_back(fmt::format("$data{0} every ::{1}::{1} using 1:2 with points pt {2}", panel.series.size(), i,
                                point_type(first_published(plot, panel_number) + i)));
  return out + plot_command(items);
}

std::string terminal_legend(const Plot& plot, int columns) {
  std::vector<std::string> entries;
  const std::vector<std::string> names = names_of(plot);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (const std::string title = title_of(plot, names[i]); !title.empty()) entries.push_back(letter(i) + " " + title);
  for (std::size_t i = 0; i < plot.panels.size(); ++i)
    for (std::size_t k = 0; k < plot.panels[i].published.size(); ++k)
      entries.push_back(fmt::format("{} published {}: {}", letter(first_published(plot, i) + k), plot.panels[i].y.name,
                                    plot.panels[i].published[k].label));
  std::string out = plot.curves.empty() ? "" : plot.curves + ":";
  std::size_t line = 0;
  for (const std::string& entry : entries) {
    const bool fits = line > 0 && line + 3 + entry.size() <= static_cast<std::size_t>(columns);
    out += fits ? "   " : out.empty() ? "" : "\n";
    line = (fits ? line + 3 : 0) + entry.size();
    out += entry;
  }
  return out.empty() ? out : out + "\n";
}

}  // namespace tsunagi::plot
