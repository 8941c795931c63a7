// SPDX-License-Identifier: Apache-2.0
#include "plot/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>

#include "report/formats/table_layout.hpp"
#include "units/parse.hpp"

namespace tsunagi::plot {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();
constexpr double exact = 9007199254740992.0;  // 2^53: numbers hold all whole numbers up to there

/// A rate with more decimals than tables show.
std::string rate_text(double value, int decimals) {
  const std::array<const char*, 5> units{"B/s", "kB/s", "MB/s", "GB/s", "TB/s"};
  std::size_t unit = 0;
  for (; value >= 999.995 && unit + 1 < units.size(); ++unit) value /= 1000;
  return fmt::format("{:.{}f} {}", value, decimals, units[unit]);
}

Unit unit_of(const report::Cell& cell) {
  if (std::holds_alternative<Time>(cell) || std::holds_alternative<report::NoTime>(cell)) return Unit::time;
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
    for (const auto& [each, said] : row.cells())
      if (!known && each == name) {  // also where it says that there is none
        out.unit = unit_of(said);
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
  const bool whole = text.find_first_not_of("-0123456789") == std::string::npos;
  if (whole && fmt::format("{:.0f}", value) != text && std::abs(value) >= exact)
    throw UnitError("\"" + text + "\" is not exact as a number");
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

std::string Column::text(std::size_t row, int more) const {
  if (unit == Unit::text) return texts[row];
  const double v = numbers[row];
  if (std::isnan(v)) return "";
  if (unit == Unit::bytes) return report::human_bytes(Bytes(static_cast<std::int64_t>(v)));
  if (unit == Unit::rate) return more == 0 ? report::human_rate(v) : rate_text(v, 2 + more);
  if (unit == Unit::time) return to_string(Time::from_fs(static_cast<std::int64_t>(std::llround(v * 1e15))));
  if (unit == Unit::length) return to_string(Length(std::llround(v * 1e6)));
  return fmt::format("{:.{}g}{}", v, 10 + more, unit == Unit::percent ? " %" : "");
}

std::string Column::key(std::size_t row) const {
  if (unit == Unit::text) return texts[row];
  return std::isnan(numbers[row]) ? "" : fmt::format("{}", numbers[row] + 0.0);  // -0 is 0
}

std::vector<std::string> Column::labels() const {
  std::vector<std::string> out;
  constexpr int most = 14;  // digits, that tell all numbers apart
  bool alike = true;
  for (int more = 0; alike && more <= most; ++more) {
    std::map<std::string, std::string> keys;  // by text
    out.clear();
    alike = false;
    for (std::size_t row = 0; row < rows(); ++row) {
      out.push_back(text(row, more));
      alike = alike || keys.emplace(out.back(), key(row)).first->second != key(row);
    }
  }
  return out;
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
  const auto length = [](const std::string& t) { return static_cast<double>(parse_length(t).um()) * 1e-6; };
  if (parse_all(out, Unit::number, texts, plain_number) || parse_all(out, Unit::bytes, texts, bytes) ||
      parse_all(out, Unit::time, texts, time) || parse_all(out, Unit::rate, texts, rate) ||
      parse_all(out, Unit::length, texts, length) || parse_all(out, Unit::percent, texts, percent))
    return out;
  out.texts = texts;
  return out;
}

}  // namespace tsunagi::plot
