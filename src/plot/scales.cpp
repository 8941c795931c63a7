// SPDX-License-Identifier: Apache-2.0
#include "plot/scales.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace tsunagi::plot {
namespace {

Range range_of(const std::vector<double>& values) {
  if (values.empty()) return {1, 1};
  return {*std::min_element(values.begin(), values.end()), *std::max_element(values.begin(), values.end())};
}

bool is_millionths(const std::string& name) {
  const std::string end = "_ppm";
  return name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
}

/// Columns whose names do not say what they are; others are words with underscores.
const std::map<std::string, std::string> words{{"size", "message size"},
                                               {"lost", "messages lost"},
                                               {"mps", "largest payload of a packet"},
                                               {"mean", "mean latency"},
                                               {"min", "least latency"},
                                               {"max", "largest latency"},
                                               {"median", "median latency"},
                                               {"p50", "median latency"},
                                               {"p95", "95th percentile of latency"},
                                               {"p99", "99th percentile of latency"},
                                               {"bytes", "payload"},
                                               {"exposed", "exposed time"},
                                               {"kop_s", "operations a second"},
                                               {"per_message", "time per message"},
                                               {"load", "offered load"},
                                               {"load_ppm", "offered load"}};

std::string words_of(const std::string& name) {
  if (const auto it = words.find(name); it != words.end()) return it->second;
  std::string out = is_millionths(name) ? name.substr(0, name.size() - 4) : name;
  std::replace(out.begin(), out.end(), '_', ' ');
  return out;
}

}  // namespace

Scale scale_of(const Axis& axis, double largest) {
  const Unit unit = axis.unit;
  if (unit == Unit::number && is_millionths(axis.name)) return {"%", 1e4};
  if (axis.name == "kop_s") return {"Mop/s", 1e3};
  if (unit == Unit::bytes) return {"bytes", 1};
  if (unit == Unit::rate)
    return largest < 1e6 ? Scale{"kB/s", 1e3} : largest < 1e9 ? Scale{"MB/s", 1e6} : Scale{"GB/s", 1e9};
  if (unit == Unit::length) return {"m", 1};
  if (unit == Unit::percent) return {"%", 1};
  if (unit != Unit::time) return {};
  if (largest < 1e-6) return {"ns", 1e-9};
  if (largest < 1e-2) return {"µs", 1e-6};
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
  for (const Ceiling& c : panel.ceilings) values.push_back(c.y);
  return range_of(values);
}

Range x_shown(const Plot& plot) {
  if (!plot.categories.empty()) return {-0.6, static_cast<double>(plot.categories.size()) - 0.4};
  const Range r = x_range(plot);
  if (plot.x.logarithmic) {
    const double room = r.high > r.low ? std::pow(r.high / r.low, 0.03) : 2;
    return {r.low / room, r.high * room};
  }
  const double room = r.high > r.low ? 0.03 * (r.high - r.low) : std::max(1.0, std::abs(r.high)) * 0.5;
  return {r.low - room, r.high + room};
}

Range y_shown(const Plot& plot, const Panel& panel) {
  const Range r = y_range(panel);
  if (panel.y.logarithmic) {
    const double room = std::pow(r.high / r.low, 0.08);
    return {r.low / room, r.high * room};
  }
  const double high = r.high > 0 ? 1.08 * r.high : r.high < 0 ? 0 : 1;
  if (r.low < 0) return {1.08 * r.low, high};
  const bool from_zero = r.low < 0.5 * r.high || !plot.categories.empty() || r.high == 0;
  if (from_zero) return {0, high};
  const double room = std::max(0.15 * (r.high - r.low), 0.02 * r.high);
  return {std::max(0.0, r.low - room), r.high + room};
}

std::vector<double> decades(Range range) {
  const bool few = range.high < 500 * range.low;
  std::vector<double> out;
  for (double power = std::pow(10, std::floor(std::log10(range.low))); power <= range.high; power *= 10)
    for (const double step : {1.0, 2.0, 5.0})
      if ((few || step == 1) && step * power >= range.low && step * power <= range.high) out.push_back(step * power);
  return out;
}

Scale x_scale(const Plot& plot) { return scale_of(plot.x, x_range(plot).high); }

Scale y_scale(const Panel& panel) {
  const Range r = y_range(panel);
  return scale_of(panel.y, panel.y.logarithmic ? std::sqrt(r.low * r.high) : r.high);
}

std::string axis_text(const Axis& axis, Scale scale) {
  const std::string name = words_of(axis.name);
  return *scale.name == '\0' ? name : fmt::format("{} ({})", name, scale.name);
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
