// SPDX-License-Identifier: Apache-2.0
#include "sweep/measured.hpp"

#include <strings.h>

#include <algorithm>

#include "report/table_layout.hpp"

namespace tsunagi::sweep {
namespace {

Measured of_cell(const std::string& name, const report::Cell& cell) {
  const std::string key = report::name_with_unit(name, cell);
  if (const auto* t = std::get_if<Time>(&cell)) return {name, "fs", key, t->fs()};
  if (const auto* b = std::get_if<Bytes>(&cell)) return {name, "bytes", key, b->count()};
  if (const auto* n = std::get_if<std::int64_t>(&cell)) return {name, "", key, *n};
  return {name, "", key, std::get<std::string>(cell)};
}

}  // namespace

std::vector<Measured> measured(const report::Rows& rows, const report::Row& row) {
  std::vector<Measured> out;
  for (const auto& [name, cell] : row.cells()) out.push_back(of_cell(name, cell));
  for (const report::DerivedRate& rate : rows.rates)
    if (const double value = report::rate_of(rate, row); value > 0)
      out.push_back({rate.name, "bytes_per_second", rate.name + "_bytes_per_second", value});
  return out;
}

std::vector<std::string> axis_columns(const std::vector<std::string>& axes, std::vector<std::string> taken) {
  const auto is_taken = [&taken](const std::string& name) {
    return std::any_of(taken.begin(), taken.end(),
                       [&name](const std::string& t) { return ::strcasecmp(t.c_str(), name.c_str()) == 0; });
  };
  std::vector<std::string> out = axes;
  std::vector<std::string*> clashing;
  for (std::string& axis : out) {
    if (is_taken(axis))
      clashing.push_back(&axis);
    else
      taken.push_back(axis);
  }
  for (std::string* axis : clashing) {
    while (is_taken(*axis)) *axis += "_axis";
    taken.push_back(*axis);
  }
  return out;
}

}  // namespace tsunagi::sweep
