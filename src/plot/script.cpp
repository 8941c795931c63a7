// SPDX-License-Identifier: Apache-2.0
#include "plot/script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "plot/page.hpp"
#include "plot/script_text.hpp"

namespace tsunagi::plot {
namespace {

constexpr std::array<const char*, 8> colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                             "#e69f00", "#56b4e9", "#000000", "#888888"};

/// The largest size, up to 22, at which a title is not wider than the picture.
int title_size(const std::string& title) {
  const double letters = static_cast<double>(std::max<std::size_t>(1, letters_of(title)));
  return std::clamp(static_cast<int>((Page::width - 20) / (0.58 * letters)), 10, 22);
}

/// Markers and ranges of published values.
void add_published(std::vector<std::string>& items, const Panel& panel, const std::string& data) {
  const bool ranges =
      std::any_of(panel.published.begin(), panel.published.end(), [](const Published& p) { return p.upper > p.y; });
  if (ranges)
    items.push_back(data + " using ($3>$2?$1:NaN):2:2:3 with yerrorbars pt 0 dt solid lc rgb '#000000' lw 2 notitle");
  items.push_back(data + " using 1:2:4 with points pt variable lc rgb '#000000' ps 1.6 lw 2 notitle");
}

/// Texts beside published values and on ceilings, and the ceilings' lines.
std::string texts_of(const Plot& plot, const Panel& panel, const Box& at, double height) {
  std::string out = "unset label\nunset arrow\n";
  for (const Ceiling& c : panel.ceilings)
    out += fmt::format(
        "set arrow from graph 0, first {0:.10g} to graph 1, first {0:.10g} nohead back lw 1.5 dt '-' lc rgb "
        "'#666666'\n",
        c.y / y_scale(panel).size);
  const auto screen = [&](double x, double y) {
    return fmt::format("screen {:.4f}, screen {:.4f}", x / Page::width, 1 - y / height);
  };
  for (const PlacedText& text : place_texts(plot, panel, at)) {
    const double middle = text.at.left + text.at.width / 2;
    if (text.far)
      out += fmt::format(
          "set arrow from {} to {} nohead front lw 1 lc rgb '#888888'\n",
          screen(std::clamp(text.x, text.at.left, text.at.right()), std::clamp(text.y, text.at.top, text.at.bottom())),
          screen(text.x, text.y));
    for (std::size_t i = 0; i < text.lines.size(); ++i)
      out += fmt::format("set label {} at {} center front font ',{:.0f}' textcolor rgb '{}'\n", quoted(text.lines[i]),
                         screen(middle, text.at.top + (static_cast<double>(i) + 0.5) * (Page::small_font + 3) + 1),
                         i == 0 ? Page::small_font : Page::small_font - 2, i == 0 ? "#000000" : "#444444");
  }
  return out;
}

/// Whether two curves coincide somewhere: a person sees one line.
bool coincide(const Series& a, const Series& b) {
  const auto near = [](double u, double v) { return std::abs(u - v) <= 0.01 * std::max(std::abs(u), std::abs(v)); };
  int together = 0;
  for (const Point& p : a.points)
    for (const Point& q : b.points) together += p.x == q.x && near(p.y, q.y) ? 1 : 0;
  return together > 1 || (together == 1 && std::min(a.points.size(), b.points.size()) == 1);
}

/// How many curves drawn later lie on each of those of `names` somewhere: so much wider it is drawn.
std::vector<int> layers_of(const Plot& plot, const std::vector<std::string>& names) {
  constexpr int most = 2;
  constexpr std::size_t crowd = 12;  // of so many curves wide ones hide more than they show
  std::vector<int> out(names.size(), 0);
  for (std::size_t i = names.size() > crowd ? 0 : names.size(); i-- > 0;)
    for (std::size_t k = i + 1; k < names.size(); ++k)
      for (const Panel& panel : plot.panels) {
        const auto named = [&](std::size_t n) {
          return std::find_if(panel.series.begin(), panel.series.end(),
                              [&](const Series& s) { return s.name == names[n]; });
        };
        const auto a = named(i), b = named(k);
        if (a != panel.series.end() && b != panel.series.end() && out[i] <= out[k] && coincide(*a, *b))
          out[i] = std::min(most, out[k] + 1);
      }
  return out;
}

/// Colours after Okabe and Ito, told apart by the colour-blind, points of different shapes for print; what shares a
/// colour has other dashes and points: 32 in all.
/// A curve that others lie on is wider and has larger points, so that it is seen below them.
std::string styles(const Plot& plot) {
  const std::vector<std::string> names = names_of(plot);
  const std::size_t count = names.size();
  const std::vector<int> layers = layers_of(plot, names);
  constexpr std::array<int, 8> points{7, 5, 9, 13, 11, 6, 4, 8};
  constexpr std::array<const char*, 4> dashes{"solid", "'-'", "'.'", "'_. '"};
  std::string out;
  for (std::size_t i = 0; i < std::min(count, colours.size() * dashes.size()); ++i) {
    const std::size_t round = i / colours.size();
    out +=
        fmt::format("set style line {} lc rgb '{}' dt {} lw {} pt {} ps {:.1f}\n", i + 1, colours[i % colours.size()],
                    dashes[round], 2.5 + 2 * layers[i], points[(i + 3 * round) % points.size()], 0.9 + 0.4 * layers[i]);
  }
  return out;
}

/// The plot command of a panel, whose first block is `index` of the data file.
std::string panel_command(const Plot& plot, const Panel& panel, const std::string& file, std::size_t index) {
  const std::vector<std::string> names = names_of(plot);
  const auto data = [&](std::size_t block) { return fmt::format("{} index {}", quoted(file), index + block); };
  const bool bars = !plot.categories.empty();
  std::vector<std::string> items;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto series =
        std::find_if(panel.series.begin(), panel.series.end(), [&](const Series& s) { return s.name == names[i]; });
    if (series != panel.series.end())
      items.push_back(fmt::format("{} using 1:2 with {} ls {} notitle",
                                  data(static_cast<std::size_t>(series - panel.series.begin())),
                                  bars                ? "boxes"
                                  : series->scattered ? "points"
                                                      : "linespoints",
                                  i % 32 + 1));
  }
  if (!panel.published.empty()) add_published(items, panel, data(panel.series.size()));
  return plot_command(items);
}

/// The legend, below all panels: an empty plot as wide as the picture, since a legend is no wider than its plot.
std::string legend_command(const Plot& plot, const Page& page) {
  std::vector<std::string> items{"1 / 0 notitle"};
  const std::vector<std::string> names = names_of(plot);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (const std::string text = title_of(plot, names[i]); !text.empty())
      items.push_back(fmt::format("keyentry with linespoints ls {} title {}", i % 32 + 1, quoted(text)));
  if (has_published(plot))
    items.emplace_back("keyentry with points pt 3 lc rgb '#000000' ps 1.6 lw 2 title 'published'");
  const double top = 1 - page.legend_top() / page.height();
  return fmt::format(
             "set lmargin at screen 0\nset rmargin at screen 1\nset tmargin at screen {0:.4f}\nset bmargin at screen "
             "0\n"
             "unset label\nunset arrow\nunset border\nunset tics\nunset xlabel\nunset ylabel\nunset logscale\n"
             "set xrange [0:1]\nset yrange [0:1]\n"
             "set key at screen 0.5,{0:.4f} center top horizontal font ',{1:.0f}' Left reverse samplen 4 maxcols "
             "{2}{3}\n",
             top, Page::small_font, page.legend_columns(), plot.curves.empty() ? "" : " title " + quoted(plot.curves)) +
         plot_command(items);
}

}  // namespace

std::string svg_script(const Plot& given, const std::string& name, bool to_file) {
  const Plot plot = with_fitting_names(given);
  const Page page(plot);
  std::string out =
      fmt::format("# Written by tsunagi. Restyle it, then draw again, in this folder: gnuplot {}.gp\n", name);
  out += "set encoding utf8\n";
  out += fmt::format("set terminal svg size {},{:.0f} font 'Helvetica,{:.0f}' noenhanced background '#ffffff'\n",
                     Page::width, page.height(), Page::font);
  if (to_file) out += fmt::format("set output {}\n", quoted(name + ".svg"));
  out += styles(plot);
  out += "set errorbars 1.5\n";
  out += "set grid lc rgb '#dddddd' lw 1\nset border lc rgb '#444444'\n";
  if (!plot.categories.empty()) out += "set boxwidth 0.6\nset style fill solid 0.75\n";
  if (slanted(plot)) out += "set xtics rotate by 35 right\n";
  out += x_commands(plot, page.columns() > 1 ? 6 : 12);
  out += fmt::format("set multiplot title {} font ',{}' noenhanced\n", quoted(plot.title), title_size(plot.title));
  out += "unset key\n";
  std::size_t index = 0;
  for (std::size_t i = 0; i < plot.panels.size(); ++i) {
    const Panel& panel = plot.panels[i];
    const Box at = page.panel(i);
    out += fmt::format("set lmargin at screen {:.4f}\nset rmargin at screen {:.4f}\n", at.left / Page::width,
                       at.right() / Page::width);
    out += fmt::format("set tmargin at screen {:.4f}\nset bmargin at screen {:.4f}\n", 1 - at.top / page.height(),
                       1 - at.bottom() / page.height());
    out += fmt::format("set xlabel {}\n", quoted(axis_text(plot.x, x_scale(plot))));
    out += fmt::format("set ylabel {}\n", quoted(axis_text(panel.y, y_scale(panel))));
    out += y_commands(plot, panel) + texts_of(plot, panel, at, page.height());
    out += panel_command(plot, panel, name + ".dat", index);
    index += panel.series.size() + (panel.published.empty() ? 0 : 1);
  }
  if (!legend_of(plot).empty()) out += legend_command(plot, page);
  return out + "unset multiplot\n";
}

}  // namespace tsunagi::plot
