// SPDX-License-Identifier: Apache-2.0
#include "plot/script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "plot/script_text.hpp"

namespace tsunagi::plot {
namespace {

constexpr int width = 900;  // of a picture, in pixels like all below
constexpr double left = 95;
constexpr double right = 25;
constexpr double entry_height = 17;

constexpr std::array<const char*, 8> colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                             "#e69f00", "#56b4e9", "#000000", "#888888"};

std::size_t letters_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

/// The largest size, up to 16, at which a title is not wider than the picture.
int title_size(const std::string& title) {
  const double letters = static_cast<double>(std::max<std::size_t>(1, letters_of(title)));
  return std::clamp(static_cast<int>((width - 20) / (0.6 * letters)), 8, 16);
}

std::vector<std::string> legend_of(const Plot& plot) {
  std::vector<std::string> out;
  for (const std::string& name : names_of(plot))
    if (const std::string title = title_of(plot, name); !title.empty()) out.push_back(title);
  if (has_published(plot)) out.emplace_back("published");
  return out;
}

/// Where things are in the picture: panels of equal height, below them the legend in as many columns as fit.
class Layout {
 public:
  explicit Layout(const Plot& plot) : panels_(static_cast<double>(plot.panels.size())) {
    const std::vector<std::string> legend = legend_of(plot);
    std::size_t longest = 1;
    for (const std::string& title : legend) longest = std::max(longest, letters_of(title));
    const double entry = 7.8 * static_cast<double>(longest) + 66;  // as gnuplot reckons with font 11
    columns_ =
        std::clamp(static_cast<int>((width - left - right) / entry), 1, std::max(1, static_cast<int>(legend.size())));
    const double lines = std::ceil(static_cast<double>(legend.size()) / columns_) + (plot.curves.empty() ? 0 : 1);
    legend_ = entry_height * lines;
  }

  double height() const { return top + panels_ * panel_height() + (panels_ - 1) * gap + below + legend_ + 12; }
  int columns() const { return columns_; }
  /// Places in parts of the picture, from below.
  double top_of(std::size_t panel) const { return 1 - up_to(panel) / height(); }
  double bottom_of(std::size_t panel) const { return 1 - (up_to(panel) + panel_height()) / height(); }
  double top_of_legend() const { return (legend_ + 12) / height(); }

 private:
  static constexpr double top = 50;
  static constexpr double gap = 44;
  static constexpr double below = 60;  // tics and label of the last panel

  double panel_height() const { return panels_ > 1 ? 320 : 400; }
  double up_to(std::size_t panel) const { return top + static_cast<double>(panel) * (panel_height() + gap); }

  double panels_;
  double legend_ = 0;
  int columns_ = 1;
};

/// Colours after Okabe and Ito, told apart by the colour-blind, points of different shapes for print; what shares a
/// colour has other dashes and points: 32 in all.
std::string styles(std::size_t count) {
  constexpr std::array<int, 8> points{7, 5, 9, 13, 11, 6, 4, 8};
  constexpr std::array<const char*, 4> dashes{"solid", "'-'", "'.'", "'_. '"};
  std::string out;
  for (std::size_t i = 0; i < std::min(count, colours.size() * dashes.size()); ++i) {
    const std::size_t round = i / colours.size();
    out += fmt::format("set style line {} lc rgb '{}' dt {} lw 2 pt {} ps 0.7\n", i + 1, colours[i % colours.size()],
                       dashes[round], points[(i + 3 * round) % points.size()]);
  }
  return out;
}

/// Markers, ranges and labels of published values; labels stand towards the middle of the picture.
void add_published(std::vector<std::string>& items, const Plot& plot, const Panel& panel, const std::string& data) {
  const bool ranges =
      std::any_of(panel.published.begin(), panel.published.end(), [](const Published& p) { return p.upper > p.y; });
  if (ranges)
    items.push_back(data + " using ($3>$2?$1:NaN):2:2:3 with yerrorbars pt 0 dt solid lc rgb '#000000' lw 1.5 notitle");
  items.push_back(data + " using 1:2:4 with points pt variable lc rgb '#000000' ps 1.3 lw 1.5 notitle");
  const Range all = x_range(plot);
  const double middle = plot.x.logarithmic ? std::sqrt(all.low * all.high) : (all.low + all.high) / 2;
  const auto add_labels = [&](bool left_half) {
    const bool any = std::any_of(panel.published.begin(), panel.published.end(),
                                 [&](const Published& p) { return (p.x <= middle) == left_half; });
    if (!any) return;  // gnuplot 5.4 crashes on labels that are all left out
    items.push_back(fmt::format(
        "{} using ($1{}{:.10g}?$1:NaN):3:5 with labels {} boxed font ',11' textcolor rgb '#000000' notitle", data,
        left_half ? "<=" : ">", middle / x_scale(plot).size, left_half ? "left offset 1,0.7" : "right offset -1,0.7"));
  };
  add_labels(true);
  add_labels(false);
}

/// The plot command of a panel, whose first block is `index` of the data file. `titled`: it shows the legend of all.
std::string panel_command(const Plot& plot, const Panel& panel, const std::string& file, std::size_t index,
                          bool titled) {
  const std::vector<std::string> names = names_of(plot);
  const auto style = [](std::size_t i) { return fmt::format("ls {}", i % 32 + 1); };
  const auto title = [&](const std::string& name) {
    const std::string text = title_of(plot, name);
    return titled && !text.empty() ? "title " + quoted(text) : std::string("notitle");
  };
  const auto data = [&](std::size_t block) { return fmt::format("{} index {}", quoted(file), index + block); };
  std::vector<std::string> items;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto series =
        std::find_if(panel.series.begin(), panel.series.end(), [&](const Series& s) { return s.name == names[i]; });
    if (series != panel.series.end())
      items.push_back(fmt::format("{} using 1:2 with linespoints {} {}",
                                  data(static_cast<std::size_t>(series - panel.series.begin())), style(i),
                                  title(names[i])));
    else if (titled && !title_of(plot, names[i]).empty())
      items.push_back(fmt::format("keyentry with linespoints {} {}", style(i), title(names[i])));
  }
  if (!panel.published.empty()) add_published(items, plot, panel, data(panel.series.size()));
  if (titled && has_published(plot))  // a variable point type has no sample
    items.emplace_back("keyentry with points pt 3 lc rgb '#000000' ps 1.3 lw 1.5 title 'published'");
  return plot_command(items);
}

}  // namespace

std::string svg_script(const Plot& plot, const std::string& name, bool to_file) {
  const Layout layout(plot);
  std::string out =
      fmt::format("# Written by tsunagi. Restyle it, then draw again, in this folder: gnuplot {}.gp\n", name);
  out += "set encoding utf8\n";
  out += fmt::format("set terminal svg size {},{:.0f} font 'Helvetica,13' noenhanced background '#ffffff'\n", width,
                     layout.height());
  if (to_file) out += fmt::format("set output {}\n", quoted(name + ".svg"));
  out += styles(names_of(plot).size());
  out += "set errorbars 1.5\n";
  out += "set style textbox opaque noborder fillcolor rgb '#ffffff' margins 0.5,0.5\n";
  out += "set grid lc rgb '#dddddd' lw 1\nset border lc rgb '#444444'\n";
  out += fmt::format("set lmargin at screen {:.4f}\nset rmargin at screen {:.4f}\n", left / width, 1 - right / width);
  out += x_commands(plot, 12);
  out += fmt::format("set multiplot title {} font ',{}' noenhanced\n", quoted(plot.title), title_size(plot.title));
  std::size_t index = 0;
  for (std::size_t i = 0; i < plot.panels.size(); ++i) {
    const Panel& panel = plot.panels[i];
    const bool last = i + 1 == plot.panels.size();
    out += fmt::format("set tmargin at screen {:.4f}\nset bmargin at screen {:.4f}\n", layout.top_of(i),
                       layout.bottom_of(i));
    if (last)
      out += fmt::format(
          "set xlabel {}\nset key at screen 0.5,{:.4f} center top horizontal font ',11' Left reverse samplen 5 maxcols "
          "{}{}\n",
          quoted(axis_text(plot.x, x_scale(plot))), layout.top_of_legend(), layout.columns(),
          plot.curves.empty() ? "" : " title " + quoted(plot.curves));
    else
      out += "unset key\n";
    out += fmt::format("set ylabel {}\n", quoted(axis_text(panel.y, y_scale(panel))));
    out += y_commands(panel) + panel_command(plot, panel, name + ".dat", index, last);
    index += panel.series.size() + (panel.published.empty() ? 0 : 1);
  }
  return out + "unset multiplot\n";
}

}  // namespace tsunagi::plot
