// SPDX-License-Identifier: Apache-2.0
#include "plot/plot.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>

#include "config/suggest.hpp"
#include "report/formats/table_layout.hpp"

namespace tsunagi::plot {
namespace {

/// How many values a column has, without missing ones.
std::size_t values_in(const Column& column) {
  std::set<std::string> seen;
  for (std::size_t row = 0; row < column.rows(); ++row)
    if (const std::string key = column.key(row); !key.empty()) seen.insert(key);
  return seen.size();
}

/// The first of `names` that is a column of that unit, else the first such column behind `x`.
std::string first_of(const Table& table, const std::string& x, Unit unit, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (const Column* column = find(table, name); column != nullptr && column->unit == unit) return name;
  bool behind = x.empty();
  for (const Column& column : table) {
    if (behind && column.unit == unit) return column.name;
    behind = behind || column.name == x;
  }
  return "";
}

const std::vector<std::string> times{"latency", "mean", "time"};
const std::vector<std::string> rates{"bandwidth", "accepted_rate"};

bool is_in(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string x_of(const Table& table, std::size_t axes) {
  const Column* size = find(table, "size");
  if (size != nullptr && size->unit != Unit::text && values_in(*size) > 1) return "size";
  const Column* best = nullptr;
  std::size_t most = 1;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const Column& column = table[i];
    const bool measured = is_in(times, column.name) || is_in(rates, column.name);
    if (column.unit == Unit::text || measured || (i >= axes && best != nullptr)) continue;
    if (const std::size_t count = values_in(column); count > most) {
      best = &column;
      most = count;
    }
  }
  return best != nullptr ? best->name : "";
}

/// What is the same in two rows only if these columns are.
std::string key_of(const Table& table, const std::vector<std::string>& columns, std::size_t row) {
  std::string out;
  for (const std::string& name : columns) {
    const std::string key = find(table, name)->key(row);
    out += std::to_string(key.size()) + ":" + key;
  }
  return out;
}

/// How many rows can be told apart by these columns.
std::size_t distinct(const Table& table, const std::vector<std::string>& columns, std::size_t rows) {
  std::set<std::string> seen;
  for (std::size_t row = 0; row < rows; ++row) seen.insert(key_of(table, columns, row));
  return seen.size();
}

/// Whether a column behind the axes is a result, which differs from row to row, unlike a size.
bool is_result(const Table& table, const std::string& name, std::size_t axes) {
  const auto at = static_cast<std::size_t>(find(table, name) - table.data());
  return at >= axes && (table[at].unit == Unit::time || table[at].unit == Unit::rate);
}

/// Columns, from the left, each of which tells more rows of the same x apart; where x is a result, more of the rows
/// that the axes make.
std::vector<std::string> columns_that_tell_apart(const Table& table, const Choice& choice, std::size_t rows,
                                                 std::size_t axes) {
  const bool bars = choice.x.empty();
  const std::size_t end = axes > 0 && !bars && is_result(table, choice.x, axes) ? axes : table.size();
  std::vector<std::string> out;
  std::vector<std::string> keys;
  if (end == table.size() && !bars) keys.push_back(choice.x);
  std::size_t apart = distinct(table, keys, rows);
  for (std::size_t i = 0; i < end && apart < rows; ++i) {
    if (table[i].name == choice.x || is_in(choice.ys, table[i].name)) continue;
    if (bars && table[i].unit != Unit::text) continue;  // numbers that vary would be x
    keys.push_back(table[i].name);
    const std::size_t more = distinct(table, keys, rows);
    if (more == apart)
      keys.pop_back();
    else
      out.push_back(table[i].name);
    apart = more;
  }
  return out;
}

const Column& column_named(const Table& table, const std::string& name, bool number) {
  const Column* column = find(table, name);
  if (column == nullptr) {
    std::vector<std::string> known;
    for (const Column& c : table) known.push_back(c.name);
    throw std::invalid_argument("nothing to draw: " + config::detail::unknown("column", name, known));
  }
  if (number && column->unit == Unit::text)
    throw std::invalid_argument("column \"" + name + "\" holds text, no numbers to draw");
  return *column;
}

/// The curve of each row, by name: "pio", or "pio, 4" if several columns tell the curves apart, "method pio, nodes 4"
/// where that would say the same of two.
std::vector<std::string> names_of_series(const Table& table, const std::vector<std::string>& columns,
                                         std::size_t rows) {
  std::vector<std::string> out;
  for (const bool with_columns : {false, true}) {
    out.assign(rows, "");
    for (const std::string& column : columns) {
      const std::vector<std::string> labels = find(table, column)->labels();
      for (std::size_t row = 0; row < rows; ++row)
        out[row] += (out[row].empty() ? "" : ", ") + (with_columns ? column + " " : "") + labels[row];
    }
    std::map<std::string, std::string> keys;
    bool apart = true;
    for (std::size_t row = 0; row < rows && apart; ++row) {
      const std::string key = key_of(table, columns, row);
      apart = keys.emplace(out[row], key).first->second == key;
    }
    if (apart) break;
  }
  return out;
}

/// "method, nodes"; empty for a single column of texts, which speak for themselves.
std::string columns_of_names(const Table& table, const std::vector<std::string>& columns) {
  if (columns.size() == 1 && find(table, columns.front())->unit == Unit::text) return "";
  std::string out;
  for (const std::string& column : columns) out += (out.empty() ? "" : ", ") + column;
  return out;
}

Panel panel_of(const Table& table, const Column& x, const Column& y, const std::vector<std::string>& series) {
  Panel panel{{y.name, y.unit, false}, {}, {}};
  const std::vector<std::string> names = names_of_series(table, series, x.rows());
  std::map<std::string, std::size_t> by_name;
  double low = 0;
  double high = 0;
  for (std::size_t row = 0; row < x.rows(); ++row) {
    const Point point{x.numbers[row], y.numbers[row]};
    if (std::isnan(point.x) || std::isnan(point.y)) continue;
    const bool first = by_name.empty();
    low = first ? point.y : std::min(low, point.y);
    high = first ? point.y : std::max(high, point.y);
    const auto [it, is_new] = by_name.emplace(names[row], panel.series.size());
    if (is_new) panel.series.push_back({names[row], {}});
    panel.series[it->second].points.push_back(point);
  }
  for (Series& s : panel.series) {
    std::stable_sort(s.points.begin(), s.points.end(), [](const Point& a, const Point& b) { return a.x < b.x; });
    s.scattered = std::adjacent_find(s.points.begin(), s.points.end(), [](const Point& a, const Point& b) {
                    const double large = std::max(std::abs(a.y), std::abs(b.y));
                    return a.x == b.x && std::abs(a.y - b.y) > 0.01 * large;
                  }) != s.points.end();
  }
  panel.y.logarithmic = y.unit == Unit::time && low > 0 && high >= 10 * low;
  return panel;
}

/// A bar for each row.
Plot bars_of(const std::string& title, const Table& table, const Choice& choice) {
  for (const std::string& name : choice.series) column_named(table, name, false);
  const std::size_t rows = table.front().rows();
  Plot plot{title, {columns_of_names(table, choice.series), Unit::number, false}, {}, ""};
  plot.categories = names_of_series(table, choice.series, rows);
  for (const std::string& name : choice.ys) {
    const Column& y = column_named(table, name, true);
    Panel panel{{name, y.unit, false}, {}, {}};
    for (std::size_t row = 0; row < rows; ++row)
      if (!std::isnan(y.numbers[row])) {
        if (panel.series.empty()) panel.series.push_back({"", {}});
        panel.series.front().points.push_back({static_cast<double>(row), y.numbers[row]});
      }
    if (!panel.series.empty()) plot.panels.push_back(std::move(panel));
  }
  if (plot.panels.empty()) throw std::invalid_argument("there is nothing to draw: the table has no rows");
  return plot;
}

/// Counts that double (ranks, nodes), over so wide a range that the small ones would lie on each other.
bool doubles(const Column& x) {
  constexpr double wide = 16;
  const auto power_of_two = [](double v) {
    int exponent = 0;
    return v >= 1 && std::frexp(v, &exponent) == 0.5;
  };
  if (x.unit != Unit::number || x.numbers.empty()) return false;
  const auto [low, high] = std::minmax_element(x.numbers.begin(), x.numbers.end());
  return std::all_of(x.numbers.begin(), x.numbers.end(), power_of_two) && *high >= wide * *low;
}

bool spans(const Panel& panel, double x) {
  const auto reaches = [&](auto compare) {
    return std::any_of(panel.series.begin(), panel.series.end(), [&](const Series& s) {
      return std::any_of(s.points.begin(), s.points.end(), [&](const Point& p) { return compare(p.x, x); });
    });
  };
  return reaches(std::less_equal<>()) && reaches(std::greater_equal<>());
}

/// What a wish for an x of texts comes to: a bar for each row, called by its text and what else tells rows apart.
Choice bars_along(const Table& table, const Wish& wish) {
  Choice out{"", wish.ys, {wish.x}};
  const std::size_t rows = table.front().rows();
  for (const std::string& name : out.ys) column_named(table, name, true);
  if (out.ys.empty())
    for (const auto& name : {first_of(table, "", Unit::time, times), first_of(table, "", Unit::rate, rates)})
      if (!name.empty()) out.ys.push_back(name);
  for (const std::string& name : wish.series) out.series.push_back(column_named(table, name, false).name);
  std::size_t apart = distinct(table, out.series, rows);
  for (std::size_t i = 0; i < table.size() && apart < rows && wish.series.empty(); ++i) {
    if (is_in(out.series, table[i].name) || is_in(out.ys, table[i].name) || is_result(table, table[i].name, wish.axes))
      continue;
    out.series.push_back(table[i].name);
    const std::size_t more = distinct(table, out.series, rows);
    if (more == apart) out.series.pop_back();
    apart = more;
  }
  return out;
}

}  // namespace

Choice choose(const Table& table, const Wish& wish) {
  Choice out{wish.x.empty() ? x_of(table, wish.axes) : wish.x, wish.ys, {}};
  if (table.empty()) return out;
  if (!wish.x.empty() && column_named(table, wish.x, false).unit == Unit::text) return bars_along(table, wish);
  for (const std::string& name : out.ys) column_named(table, name, true);
  const std::size_t rows = out.x.empty() ? table.front().rows() : column_named(table, out.x, true).rows();
  if (out.ys.empty())
    for (const auto& name : {first_of(table, out.x, Unit::time, times), first_of(table, out.x, Unit::rate, rates)})
      if (!name.empty()) out.ys.push_back(name);
  for (const std::string& name : wish.series) column_named(table, name, false);
  out.series = wish.series.empty() ? columns_that_tell_apart(table, out, rows, wish.axes) : wish.series;
  return out;
}

void add_ceilings(Plot& plot, const report::Rows& rows) {
  constexpr double far = 2;  // times the highest point
  if (!plot.categories.empty()) return;
  for (Panel& panel : plot.panels) {
    const bool derived = std::any_of(rows.rates.begin(), rows.rates.end(),
                                     [&](const report::DerivedRate& rate) { return rate.name == panel.y.name; });
    if (!derived) continue;
    double high = 0;
    for (const Series& s : panel.series)
      for (const Point& p : s.points) high = std::max(high, p.y);
    std::set<std::string> methods;
    for (const report::Ceiling& c : rows.ceilings) {  // the lowest one of a method comes first
      const double y = c.rate.bytes_per_second();
      if (c.back || !methods.insert(c.method).second || y > far * high) continue;
      const std::string name = c.name.substr(0, c.name.rfind(", "));  // without its place in the machine
      panel.ceilings.push_back(
          {report::human_rate(y) + ", " + name + (c.method.empty() ? "" : " (" + c.method + ")"), y});
    }
  }
}

void add(Plot& plot, const Reference& reference) {
  const Column at = column_of(reference.x, {reference.at});
  const Column value = column_of(reference.y, {reference.value});
  const Column upper = column_of(reference.y, {reference.upper.empty() ? reference.value : reference.upper});
  const auto fits = [](const Axis& axis, const Column& c) {
    return axis.name == c.name && axis.unit == c.unit && c.unit != Unit::text;
  };
  const bool in_units = fits(plot.x, at) && value.unit == upper.unit;
  for (Panel& panel : plot.panels)
    if (in_units && fits(panel.y, value) && spans(panel, at.numbers.front()))
      panel.published.push_back(
          {at.numbers.front(), value.numbers.front(), upper.numbers.front(), reference.bound, reference.label});
}

Plot plot_of(const std::string& title, const Table& table, const Choice& choice) {
  if (choice.ys.empty() || table.empty())
    throw std::invalid_argument("there is nothing to draw: no column that varies, or no time and no rate");
  if (choice.x.empty()) return bars_of(title, table, choice);
  const Column& x = column_named(table, choice.x, true);
  for (const std::string& name : choice.series) column_named(table, name, false);
  const bool positive = std::none_of(x.numbers.begin(), x.numbers.end(), [](double v) { return v <= 0; });
  Plot plot{title,
            {x.name, x.unit, (x.unit == Unit::bytes && positive) || doubles(x)},
            {},
            columns_of_names(table, choice.series)};
  for (const std::string& name : choice.ys) {
    Panel panel = panel_of(table, x, column_named(table, name, true), choice.series);
    if (!panel.series.empty()) plot.panels.push_back(std::move(panel));
  }
  if (plot.panels.empty()) throw std::invalid_argument("there is nothing to draw: the table has no rows");
  return plot;
}

}  // namespace tsunagi::plot
