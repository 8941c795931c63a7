// SPDX-License-Identifier: Apache-2.0
#include "plot/scales.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tsunagi::plot {
namespace {

Range range_of(const std::vector<double>& values) {
  if (values.empty()) return {1, 1};
  return {*std::min_element(values.begin(), values.end()), *std::max_element(values.begin(), values.end())};
}

}  // namespace

Scale scale_of(Unit unit, double largest) {
  if (unit == Unit::rate)
    return largest < 1e6 ? Scale{"kB/s", 1e3} : largest < 1e9 ? Scale{"MB/s", 1e6} : Scale{"GB/s", 1e9};
  if (unit == Unit::percent) return {"%", 1};
  if (unit != Unit::time) return {};
  if (largest < 1e-6) return {"ns", 1e-9};
  if (largest < 1e-2) return {"us", 1e-6};
  return largest < 10 ? Scale{"ms", 1e-3} : Scale{"s", 1};
}

Range x_range(const Plot& plot) {
  std::vector<double> values;
  for (const Panel& panel : plot.panels) {
    for (const Series& s : panel.series)
      for (const Point& p : s.points) values.push_back(p.x);
    for (const Published& p : panel.published) values.push_back(p.x);
  }
  return range_of(values);
}

Range y_range(const Panel& panel) {
  std::vector<double> values;
  for (const Series& s : panel.series)
    for (const Point& p : s.points) values.push_back(p.y);
  for (const Published& p : panel.published) values.insert(values.end(), {p.y, p.upper});
  return range_of(values);
}

Scale x_scale(const Plot& plot) { return scale_of(plot.x.unit, x_range(plot).high); }

Scale y_scale(const Panel& panel) { return scale_of(panel.y.unit, y_range(panel).high); }

std::string axis_text(const Axis& axis, Scale scale) {
  return *scale.name == '\0' ? axis.name : fmt::format("{} ({})", axis.name, scale.name);
}

std::vector<std::string> names_of(const Plot& plot) {
  std::vector<std::string> out;
  for (const Panel& panel : plot.panels)
    for (const Series& s : panel.series)
      if (std::find(out.begin(), out.end(), s.name) == out.end()) out.push_back(s.name);
  return out;
}

bool has_published(const Plot& plot) {
  return std::any_of(plot.panels.begin(), plot.panels.end(), [](const Panel& p) { return !p.published.empty(); });
}

std::string title_of(const Plot& plot, const std::string& name) {
  return name.empty() && has_published(plot) ? "simulated" : name;
}

}  // namespace tsunagi::plot
