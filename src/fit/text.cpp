// SPDX-License-Identifier: Apache-2.0
#include "fit/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "fit/unit.hpp"

namespace tsunagi::fit {
namespace {

using config::Quantity;
using Json = nlohmann::ordered_json;

/// JSON text without its quotes.
std::string bare(const std::string& json) {
  return json.size() > 1 && json.front() == '"' ? json.substr(1, json.size() - 2) : json;
}

/// With four digits, for people.
std::string short_text(const Quantity& quantity, bool whole) {
  if (whole || quantity.value == 0) return bare(config::to_json_text(quantity));
  const double unit = std::pow(10, std::floor(std::log10(std::abs(quantity.value))) - 3);
  return bare(config::to_json_text({quantity.kind, std::round(quantity.value / unit) * unit}));
}

/// Columns of equal width, the first to the left and the others to the right.
std::string table(const std::vector<std::vector<std::string>>& lines) {
  std::vector<std::size_t> widths(lines.front().size());
  for (const auto& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  std::string out;
  for (const auto& line : lines) {
    std::string one;
    for (std::size_t i = 0; i < line.size(); ++i)
      one += i == 0 ? fmt::format("{:<{}}", line[i], widths[i]) : fmt::format("  {:>{}}", line[i], widths[i]);
    out += one.substr(0, one.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

std::string percent(double part) { return fmt::format("{:.1f} %", 100 * part); }

std::string x_text(const MeasuredCurve& curve, std::size_t point) {
  const Quantity unit = *unit_of(curve.curve.x_unit);
  const double x = curve.points[point].x;
  return bare(config::to_json_text({unit.kind, unit.kind == Quantity::Kind::time ? x * 1e15 : x}));
}

Quantity quantity_at(const Parameter& p, double share) {
  return {p.start.kind, p.low.value + share * (p.high.value - p.low.value)};
}

std::string ending_text(const Fit& fit) {
  const std::string runs = fmt::format("{} runs", fit.runs);
  switch (fit.ending) {
    case Ending::found:
      return fmt::format("{}; nothing better is near", runs);
    case Ending::out_of_runs:
      return fmt::format("{}, which are all that it was to take: the best of them", runs);
    case Ending::interrupted:
      break;
  }
  return fmt::format("interrupted after {}: the best so far", runs);
}

/// "the data cannot tell apart, in parts of the ranges: start_cycles +0.7, end_cycles -0.7".
std::string direction_text(const Problem& problem, const Direction& direction) {
  constexpr double counts = 0.15;
  std::vector<std::string> names;
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < direction.size(); ++i) {
    if (std::abs(direction[i]) < counts) continue;
    names.push_back(problem.parameters()[i].name);
    parts.push_back(fmt::format("{} {:+.1f}", names.back(), direction[i]));
  }
  if (names.size() == 1) return "the data say nothing of " + names.front();
  return fmt::format("the data cannot tell apart, in parts of the ranges: {}", fmt::join(parts, ", "));
}

std::string parameters_text(const Problem& problem, const Fit& fit) {
  std::vector<std::vector<std::string>> lines{{"parameter", "start", "fitted", "95 % interval", "range"}};
  for (std::size_t i = 0; i < problem.parameters().size(); ++i) {
    const Parameter& p = problem.parameters()[i];
    const auto known = interval(problem, fit, i);
    lines.push_back({p.name, short_text(p.start, p.whole), short_text(quantity_at(p, fit.at[i]), p.whole),
                     known ? bare(known->first) + " .. " + bare(known->second) : "-",
                     short_text(p.low, p.whole) + " .. " + short_text(p.high, p.whole)});
  }
  return table(lines);
}

std::string curves_text(const Problem& problem, const Fit& fit) {
  std::vector<std::vector<std::string>> lines{{"curve", "points", "mean error", "at start", "largest"}};
  for (std::size_t c = 0; c < problem.curves().size(); ++c) {
    const MeasuredCurve& curve = problem.curves()[c];
    const Deviation now = deviation(curve, fit.after[c]);
    lines.push_back({curve.curve.name, std::to_string(curve.points.size()), percent(now.mean),
                     percent(deviation(curve, fit.before[c]).mean),
                     fmt::format("{:+.1f} % at {}", 100 * now.largest, x_text(curve, now.at))});
  }
  return table(lines);
}

Json curve_json(const MeasuredCurve& curve, const std::vector<double>& before, const std::vector<double>& after) {
  Json points = Json::array();
  for (std::size_t i = 0; i < curve.points.size(); ++i)
    points.push_back({{"x", curve.points[i].x}, {"measured", curve.points[i].y}, {"simulated", after[i]}});
  return {{"name", curve.curve.name},
          {"mean_error", deviation(curve, after).mean},
          {"mean_error_at_start", deviation(curve, before).mean},
          {"points", points}};
}

}  // namespace

Deviation deviation(const MeasuredCurve& curve, const std::vector<double>& simulated) {
  Deviation out;
  for (std::size_t i = 0; i < simulated.size(); ++i) {
    const double part = simulated[i] / curve.points[i].y - 1;
    out.mean += std::abs(part) / static_cast<double>(simulated.size());
    if (std::abs(part) <= std::abs(out.largest)) continue;
    out.largest = part;
    out.at = i;
  }
  return out;
}

std::optional<std::pair<std::string, std::string>> interval(const Problem& problem, const Fit& fit,
                                                            std::size_t parameter) {
  if (!fit.estimate || fit.estimate->half_widths[parameter] >= 0.5) return std::nullopt;
  const Parameter& p = problem.parameters()[parameter];
  const double half = fit.estimate->half_widths[parameter];
  const Quantity low = quantity_at(p, std::max(0.0, fit.at[parameter] - half));
  const Quantity high = quantity_at(p, std::min(1.0, fit.at[parameter] + half));
  const auto quoted = [&](const Quantity& q, double rounded) {
    const std::string words = p.whole ? fmt::format("{:.0f}", rounded) : short_text(q, false);
    return q.kind == Quantity::Kind::number ? words : "\"" + words + "\"";
  };
  return std::pair{quoted(low, std::floor(low.value)), quoted(high, std::ceil(high.value))};
}

std::string text(const Problem& problem, const Fit& fit) {
  std::string out;
  if (!problem.file().title.empty()) out += problem.file().title + "\n";
  out += ending_text(fit) + "\n\n" + parameters_text(problem, fit) + "\n" + curves_text(problem, fit);
  if (!fit.estimate) return out + "\nhow well they are known was not asked: too few runs\n";
  for (const Direction& direction : fit.estimate->untold) out += "\n" + direction_text(problem, direction) + "\n";
  return out;
}

std::string json(const Problem& problem, const Fit& fit, const std::string& version) {
  Json parameters = Json::array();
  for (std::size_t i = 0; i < problem.parameters().size(); ++i) {
    const Parameter& p = problem.parameters()[i];
    const auto known = interval(problem, fit, i);
    const auto value = [&](const Quantity& q) { return Json::parse(config::to_json_text(q)); };
    Json one{{"file", p.file.string()}, {"path", p.path},
             {"start", value(p.start)}, {"value", Json::parse(problem.text(i, fit.at[i]))},
             {"low", value(p.low)},     {"high", value(p.high)},
             {"interval", nullptr}};
    if (known) one["interval"] = {Json::parse(known->first), Json::parse(known->second)};
    parameters.push_back(one);
  }
  Json curves = Json::array();
  for (std::size_t c = 0; c < problem.curves().size(); ++c)
    curves.push_back(curve_json(problem.curves()[c], fit.before[c], fit.after[c]));
  Json out{{"tsunagi", version},
           {"fit", problem.file().name},
           {"ending", fit.ending == Ending::found         ? "found"
                      : fit.ending == Ending::interrupted ? "interrupted"
                                                          : "out_of_runs"},
           {"runs", fit.runs},
           {"parameters", parameters},
           {"untold", nullptr},
           {"curves", curves}};
  if (fit.estimate) out["untold"] = fit.estimate->untold;
  return out.dump(2) + "\n";
}

}  // namespace tsunagi::fit
