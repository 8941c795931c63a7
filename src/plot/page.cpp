// SPDX-License-Identifier: Apache-2.0
#include "plot/page.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace tsunagi::plot {
namespace {

constexpr double head = 56;   // the title
constexpr double left = 104;  // of a panel: tics and the name of its axis
constexpr double right = 30;
constexpr double below = 80;  // a panel: tics and the name of x
constexpr double entry_height = 24;
constexpr double wide = 540;  // height of panels of one row, and of more
constexpr double flat = 330;

constexpr std::size_t most_letters = 48;  // of a category: longer names would leave no room for the bars

std::size_t longest_of(const std::vector<std::string>& names) {
  std::size_t longest = 0;
  for (const std::string& name : names) longest = std::max(longest, letters_of(name));
  return longest;
}

double panel_width(const Plot& plot) { return (plot.panels.size() > 1 ? Page::width / 2 : Page::width) - left - right; }

/// Room for categories that are written at an angle.
double room_below(const Plot& plot) {
  return slanted(plot) ? below + 5.5 * static_cast<double>(longest_of(plot.categories)) : below;
}

/// At most `most` letters of a text.
std::string cut(const std::string& text, std::size_t most) {
  if (letters_of(text) <= most) return text;
  std::size_t end = 0;
  for (std::size_t letters = 0; end < text.size(); ++end)
    if ((text[end] & 0xc0) != 0x80 && letters++ == most - 1) break;
  return text.substr(0, end) + "…";
}

/// Letters of an entry of the legend, as gnuplot reckons, that are no wider than the picture.
constexpr auto widest_entry = static_cast<std::size_t>((Page::width - left - right - 80) / (0.62 * Page::small_font));

/// Cuts the names of curves that are wider than the picture; of two that would be alike then, the second is numbered.
void fit_series(Plot& plot) {
  std::map<std::string, std::string> names;  // as they are, and cut
  std::set<std::string> taken;
  for (const std::string& name : names_of(plot))
    if (letters_of(name) <= widest_entry) taken.insert(name);
  for (const std::string& name : names_of(plot)) {
    if (letters_of(name) <= widest_entry) continue;
    std::string shorter = cut(name, widest_entry);
    for (int i = 2; !taken.insert(shorter).second; ++i)
      shorter = cut(name, widest_entry - 6) + " (" + std::to_string(i) + ")";
    names.emplace(name, shorter);
  }
  for (Panel& panel : plot.panels)
    for (Series& s : panel.series)
      if (const auto it = names.find(s.name); it != names.end()) s.name = it->second;
}

}  // namespace

std::size_t letters_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

bool slanted(const Plot& plot) {
  return 0.6 * Page::font * static_cast<double>((longest_of(plot.categories) + 1) * plot.categories.size()) >
         panel_width(plot);
}

Plot with_fitting_names(Plot plot) {
  plot.curves = cut(plot.curves, widest_entry);
  fit_series(plot);
  if (!slanted(plot)) return plot;
  const Range shown = x_shown(plot);
  constexpr double letter = 0.6 * Page::font * 0.82;  // as wide as it is at 35 degrees
  for (std::size_t i = 0; i < plot.categories.size(); ++i) {
    const double end = left + panel_width(plot) * (static_cast<double>(i) - shown.low) / (shown.high - shown.low);
    plot.categories[i] = cut(plot.categories[i], std::min(most_letters, static_cast<std::size_t>(end / letter)));
  }
  return plot;
}

std::vector<std::string> legend_of(const Plot& plot) {
  std::vector<std::string> out;
  if (!plot.categories.empty()) return out;
  for (const std::string& name : names_of(plot))
    if (const std::string text = title_of(plot, name); !text.empty()) out.push_back(text);
  if (has_published(plot)) out.emplace_back("published");
  return out;
}

Page::Page(const Plot& plot) : columns_(plot.panels.size() > 1 ? 2 : 1) {
  const std::vector<std::string> legend = legend_of(plot);
  std::size_t longest = 1;
  for (const std::string& text : legend) longest = std::max(longest, letters_of(text));
  const double entry = 0.62 * small_font * static_cast<double>(longest) + 80;  // as gnuplot reckons
  const auto most = std::max(1, static_cast<int>(legend.size()));
  legend_columns_ = std::clamp(static_cast<int>((width - left - right) / entry), 1, most);
  const double lines = std::ceil(static_cast<double>(legend.size()) / legend_columns_);
  legend_height_ = entry_height * (lines + (plot.curves.empty() ? 0 : 1));
  const double rows = std::ceil(static_cast<double>(plot.panels.size()) / static_cast<double>(columns_));
  panel_height_ = (rows > 1 ? flat : wide) + below - room_below(plot);
  legend_top_ = head + rows * (panel_height_ + room_below(plot));
  panel_height_ = std::max(panel_height_, 160.0);
}

Box Page::panel(std::size_t number) const {
  const double each = width / static_cast<double>(columns_);
  const auto column = static_cast<double>(number % columns_);
  const auto row = static_cast<double>(number / columns_);
  const double pitch = panel_height_ > flat ? wide + below : flat + below;
  return {column * each + left, head + row * pitch, each - left - right, panel_height_};
}

}  // namespace tsunagi::plot
