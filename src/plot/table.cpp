// SPDX-License-Identifier: Apache-2.0
#include "plot/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "report/table_layout.hpp"
#include "units/parse.hpp"

namespace tsunagi::plot {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

Unit unit_of(const report::Cell& cell) {
  if (std::holds_alternative<Time>(cell)) return Unit::time;
  if (std::holds_alternative<Bytes>(cell)) return Unit::bytes;
  return std::holds_alternative<std::string>(cell) ? Unit::text : Unit::number;
}

double number(const report::Cell& cell) {
  if (const auto* t = std::get_if<Time>(&cell)) return static_cast<double>(t->fs()) * 1e-15;
  if (const auto* b = std::get_if<Bytes>(&cell)) return static_cast<double>(b->count());
  if (const auto* n = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*n);
  return missing;
}

Column measured(const report::Rows& rows, const std::string& name) {
  Column out;
  out.name = name;
  bool known = false;
  for (const report::Row& row : rows.rows) {
    const report::Cell* cell = row.find(name);
    if (cell != nullptr && !known) {
      out.unit = unit_of(*cell);
      known = true;
    }
    const auto* text = cell == nullptr ? nullptr : std::get_if<std::string>(cell);
    out.texts.push_back(text == nullptr ? "" : *text);
    out.numbers.push_back(cell == nullptr ? missing : number(*cell));
  }
  if (out.unit == Unit::text) return column_of(name, out.texts);  // the axes of a sweep are texts
  out.texts.clear();
  return out;
}

double plain_number(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') throw UnitError("\"" + text + "\" is no number");
  return value;
}

double percent(const std::string& text) {
  if (text.size() < 2 || text.back() != '%') throw UnitError("\"" + text + "\" is no percentage");
  const auto digits = text.find_last_not_of(' ', text.size() - 2);
  return plain_number(text.substr(0, digits + 1));
}

template <class Parse>
bool parse_all(Column& column, Unit unit, const std::vector<std::string>& texts, Parse parse) {
  std::vector<double> numbers;
  try {
    for (const std::string& text : texts) numbers.push_back(parse(text));
  } catch (const UnitError&) {
    return false;
  }
  column.unit = unit;
  column.numbers = std::move(numbers);
  return true;
}

}  // namespace

std::string Column::text(std::size_t row) const {
  if (unit == Unit::text) return texts[row];
  const double v = numbers[row];
  if (std::isnan(v)) return "";
  if (unit == Unit::bytes) return report::human_bytes(Bytes(static_cast<std::int64_t>(v)));
  if (unit == Unit::rate) return report::human_rate(v);
  if (unit == Unit::time) return to_string(Time::from_fs(static_cast<std::int64_t>(std::llround(v * 1e15))));
  return fmt::format("{:.10g}{}", v, unit == Unit::percent ? " %" : "");
}

const Column* find(const Table& table, const std::string& name) {
  const auto it = std::find_if(table.begin(), table.end(), [&](const Column& c) { return c.name == name; });
  return it == table.end() ? nullptr : &*it;
}

Table table_of(const report::Rows& rows) {
  Table out;
  for (const std::string& name : report::column_names(rows)) out.push_back(measured(rows, name));
  for (const report::DerivedRate& rate : rows.rates) {
    Column column{rate.name, Unit::rate, {}, {}};
    for (const report::Row& row : rows.rows) {
      const double value = report::rate_of(rate, row);
      column.numbers.push_back(value > 0 ? value : missing);
    }
    out.push_back(std::move(column));
  }
  return out;
}

Column column_of(const std::string& name, const std::vector<std::string>& texts) {
  Column out{name, Unit::text, {}, {}};
  const auto bytes = [](const std::string& t) { return static_cast<double>(parse_bytes(t).count()); };
  const auto time = [](const std::string& t) { return static_cast<double>(parse_time(t).fs()) * 1e-15; };
  const auto rate = [](const std::string& t) {
    const Rate r = parse_rate(t);
    if (r.is_infinite()) throw UnitError("not finite");
    return r.bytes_per_second();
  };
  if (parse_all(out, Unit::number, texts, plain_number) || parse_all(out, Unit::bytes, texts, bytes) ||
      parse_all(out, Unit::time, texts, time) || parse_all(out, Unit::rate, texts, rate) ||
      parse_all(out, Unit::percent, texts, percent))
    return out;
  out.texts = texts;
  return out;
}

}  // namespace tsunagi::plot
