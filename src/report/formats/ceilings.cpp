// SPDX-License-Identifier: Apache-2.0
#include "report/formats/ceilings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "report/formats/column_text.hpp"
#include "report/formats/table_layout.hpp"
#include "units/parse.hpp"

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
  const auto alike = [&](const Ceiling& o) { return o.method == c.method && o.back == c.back; };
  const auto at = std::find_if(all.begin(), all.end(),
                               [&](const Ceiling& o) { return alike(o) && o.rate.bytes_per_second() > mine; });
  const auto same = std::find_if(all.rbegin(), all.rend(), alike);
  all.insert(at != all.end() ? at : same.base(), std::move(c));
}

namespace {

/// The shortest time, in femtoseconds, in which bytes can pass in one direction, and the ceiling that says so.
struct Shortest {
  double fs = 0;
  const Ceiling* by = nullptr;
};

Shortest shortest(const Rows& rows, const Row& row, Bytes n, bool back) {
  Shortest out;
  for (const Ceiling& c : rows.ceilings) {
    if (c.back != back || !applies(c, row)) continue;
    const double fs = static_cast<double>((n - c.burst).count()) * 1e15 / c.rate.bytes_per_second();
    if (fs > out.fs) out = {fs, &c};
  }
  return out;
}

/// Which ceilings a rate of a row beats, and how; empty: none.
struct Violation {
  std::string ceilings;
  std::string text;
};

Violation violation(const Rows& rows, const Row& row, const DerivedRate& rate) {
  const double reached = rate_of(rate, row);
  if (reached <= 0) return {};
  const Bytes n = std::get<Bytes>(*row.find(rate.bytes));
  const Time t = std::get<Time>(*row.find(rate.time));
  const Shortest to = shortest(rows, row, n, false);
  const Shortest fro = rows.to_and_fro ? shortest(rows, row, n, true) : to;
  constexpr double rounding = 1 + 1e-9;
  const double least = (to.fs + fro.fs) / 2;
  if (static_cast<double>(t.fs()) * rounding >= least) return {};
  std::string names;
  for (const Ceiling* c : {to.by, fro.by})
    if (c != nullptr && (names.empty() || c != to.by)) names += (names.empty() ? "" : "; back: ") + c->name;
  return {names, fmt::format("a simulated {} of {} beats the bound \"{}\" of {}", rate.name, human_rate(reached), names,
                             human_rate(static_cast<double>(n.count()) * 1e15 / least))};
}

}  // namespace

std::vector<std::string> Recorder::judge() {
  std::vector<std::string> out;
  for (Row& row : rows_.rows)
    for (const DerivedRate& rate : rows_.rates) {
      const Violation found = violation(rows_, row, rate);
      if (found.text.empty()) continue;
      out.push_back(found.text);
      if (row.find("beats") == nullptr) row.text("beats", found.ceilings);
    }
  for (Row& row : rows_.rows)
    for (const Least& l : least_) {
      const Cell *time = row.find(l.time), *least = row.find(l.least);
      if (time == nullptr || least == nullptr || std::get<Time>(*time) >= std::get<Time>(*least)) continue;
      out.push_back(fmt::format("a simulated {} of {} beats the bound \"{}\" of {}", l.time,
                                to_string(std::get<Time>(*time)), l.name, to_string(std::get<Time>(*least))));
      if (row.find("beats") == nullptr) row.text("beats", l.name);
    }
  return out;
}

namespace {

bool same_rates(const Rows& rows) {
  std::vector<Rate> ways[2];
  for (const Ceiling& c : rows.ceilings) ways[c.back ? 1 : 0].push_back(c.rate);
  return ways[0] == ways[1];
}

}  // namespace

std::string ceiling_lines(const Rows& rows) {
  const bool alike = same_rates(rows);  // then one direction says all
  std::vector<const Ceiling*> told;
  std::vector<double> values;
  for (const Ceiling& c : rows.ceilings) {
    if (c.back && alike) continue;
    told.push_back(&c);
    values.push_back(c.rate.bytes_per_second());
  }
  const std::vector<std::string> texts = rates_in_one_unit(values);
  std::size_t width = 10;
  for (const std::string& text : texts) width = std::max(width, text.size());
  std::string out;
  for (std::size_t i = 0; i < told.size(); ++i) {
    const Ceiling& c = *told[i];
    if (i == 0 || c.method != told[i - 1]->method || c.back != told[i - 1]->back)
      out += fmt::format("\nceilings{}{}\n", c.method.empty() ? "" : " of " + c.method,
                         !rows.to_and_fro || alike ? ""
                         : c.back                  ? ", rank 1 to rank 0"
                                                   : ", rank 0 to rank 1");
    out += fmt::format("  {:>{}}  {}\n", texts[i], width, c.name);
  }
  return out;
}

}  // namespace tsunagi::report
