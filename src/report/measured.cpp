// SPDX-License-Identifier: Apache-2.0
#include "report/measured.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "report/formats/table_layout.hpp"

namespace tsunagi::report {
namespace {

const AxisColumn* axis_of(const Rows& rows, const std::string& name) {
  const auto it = std::find_if(rows.axes.begin(), rows.axes.end(), [&](const AxisColumn& a) { return a.name == name; });
  return it == rows.axes.end() ? nullptr : &*it;
}

Measured of_cell(const Rows& rows, const std::string& name, const Cell& cell) {
  const std::string key = name_with_unit(name, cell);
  if (const auto* t = std::get_if<Time>(&cell)) return {{name, "fs", key}, t->fs()};
  if (const auto* b = std::get_if<Bytes>(&cell)) return {{name, "bytes", key}, b->count()};
  if (const auto* n = std::get_if<std::int64_t>(&cell)) return {{name, "", key}, *n};
  if (std::holds_alternative<NoTime>(cell)) return {{name, "fs", key}, nullptr};
  const auto& text = std::get<std::string>(cell);
  const AxisColumn* axis = axis_of(rows, name);
  if (axis == nullptr) return {{name, "", key}, text};
  return {{name, axis->unit, axis->key()}, axis->value(text)};
}

Column of_rate(const DerivedRate& rate) { return {rate.name, "bytes_per_second", rate.name + "_bytes_per_second"}; }

double rounded(double bytes_per_second) {
  if (bytes_per_second >= 1e6) return std::nearbyint(bytes_per_second);
  return std::strtod(fmt::format("{:.6g}", bytes_per_second).c_str(), nullptr);
}

}  // namespace

std::vector<Column> columns(const Rows& rows) {
  std::vector<Column> out;
  std::set<std::string> known;
  for (const Row& row : rows.rows)
    for (const auto& [name, cell] : row.cells())
      if (Column column = of_cell(rows, name, cell); known.insert(column.key).second) out.push_back(std::move(column));
  for (const DerivedRate& rate : rows.rates) out.push_back(of_rate(rate));
  return out;
}

std::vector<Measured> measured(const Rows& rows, const Row& row) {
  std::vector<Measured> out;
  for (const auto& [name, cell] : row.cells()) out.push_back(of_cell(rows, name, cell));
  for (const DerivedRate& rate : rows.rates)
    if (const double value = rate_of(rate, row); value > 0)
      out.push_back({of_rate(rate), plain_number(rounded(value))});
  return out;
}

nlohmann::ordered_json to_json(const PlainValue& value) {
  return std::visit([](const auto& v) { return nlohmann::ordered_json(v); }, value);
}

}  // namespace tsunagi::report
