// SPDX-License-Identifier: Apache-2.0
#include "fit/curves_plot.hpp"

#include <algorithm>

#include "fit/unit.hpp"

namespace tsunagi::fit {
namespace {

using config::Quantity;

plot::Unit unit_on_axis(const std::string& unit) {
  switch (unit_of(unit)->kind) {
    case Quantity::Kind::time:
      return plot::Unit::time;
    case Quantity::Kind::size:
      return plot::Unit::bytes;
    case Quantity::Kind::rate:
      return plot::Unit::rate;
    default:
      return plot::Unit::number;
  }
}

plot::Panel& panel_of(plot::Plot& out, plot::Unit unit) {
  const auto known =
      std::find_if(out.panels.begin(), out.panels.end(), [&](const plot::Panel& p) { return p.y.unit == unit; });
  if (known != out.panels.end()) return *known;
  const char* name = unit == plot::Unit::time ? "time" : unit == plot::Unit::rate ? "bandwidth" : "value";
  return out.panels.emplace_back(plot::Panel{{name, unit, unit == plot::Unit::time}, {}, {}});
}

}  // namespace

plot::Plot curves_plot(const Problem& problem, const Fit& fit) {
  const Curve& first = problem.curves().front().curve;
  plot::Plot out;
  out.title = problem.file().title.empty() ? problem.file().name : problem.file().title;
  out.x = {first.x, unit_on_axis(first.x_unit), true};
  for (std::size_t c = 0; c < problem.curves().size(); ++c) {
    const MeasuredCurve& curve = problem.curves()[c];
    plot::Series simulated{curve.curve.name, {}};
    plot::Series measured{curve.curve.name + ", measured", {}, true};
    for (std::size_t i = 0; i < curve.points.size(); ++i) {
      simulated.points.push_back({curve.points[i].x, fit.after[c][i]});
      measured.points.push_back({curve.points[i].x, curve.points[i].y});
    }
    plot::Panel& panel = panel_of(out, unit_on_axis(curve.curve.unit));
    panel.series.push_back(std::move(simulated));
    panel.series.push_back(std::move(measured));
  }
  return out;
}

}  // namespace tsunagi::fit
