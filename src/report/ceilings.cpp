// SPDX-License-Identifier: Apache-2.0
#include "report/ceilings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "report/table_layout.hpp"

namespace tsunagi::report {

namespace {

bool applies(const Ceiling& c, const Row& row) {
  if (c.method.empty()) return true;
  const Cell* cell = row.find("method");
  const auto* text = cell == nullptr ? nullptr : std::get_if<std::string>(cell);
  return text != nullptr && *text == c.method;
}

}  // namespace

void Recorder::ceiling(Ceiling c) {
  if (c.rate.is_infinite()) return;
  auto& all = rows_.ceilings;
  const double mine = c.rate.bytes_per_second();
  const auto at = std::find_if(all.begin(), all.end(), [&](const Ceiling& o) {
    return o.method == c.method && o.rate.bytes_per_second() > mine;
  });
  const auto same = std::find_if(all.rbegin(), all.rend(), [&](const Ceiling& o) { return o.method == c.method; });
  all.insert(at != all.end() ? at : same.base(), std::move(c));
}

void check_ceilings(const Rows& rows) {
  for (const Row& row : rows.rows) {
    for (const DerivedRate& rate : rows.rates) {
      const double reached = rate_of(rate, row);
      for (const Ceiling& c : rows.ceilings) {
        constexpr double rounding = 1 + 1e-9;
        if (applies(c, row) && reached > c.rate.bytes_per_second() * rounding)
          throw std::runtime_error(fmt::format("a simulated {} of {} beats the bound \"{}\" of {}", rate.name,
                                               human_rate(reached), c.name, human_rate(c.rate.bytes_per_second())));
      }
    }
  }
}

std::string ceiling_lines(const Rows& rows) {
  std::string out;
  std::string method = "-";
  for (const Ceiling& c : rows.ceilings) {
    if (c.method != method) out += c.method.empty() ? "\nceilings\n" : fmt::format("\nceilings of {}\n", c.method);
    method = c.method;
    out += fmt::format("  {:>10}  {}\n", human_rate(c.rate.bytes_per_second()), c.name);
  }
  return out;
}

}  // namespace tsunagi::report
