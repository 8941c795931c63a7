// SPDX-License-Identifier: Apache-2.0
#include "compare/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "report/formats/table_layout.hpp"
#include "units/parse.hpp"

namespace tsunagi::compare {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* rate = "_bytes_per_second";

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() > end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

struct TimeUnit {
  const char* name;
  double fs;
};
constexpr std::array<TimeUnit, 6> time_units{
    {{"fs", 1}, {"ps", 1e3}, {"ns", 1e6}, {"us", 1e9}, {"ms", 1e12}, {"s", 1e15}}};

/// The unit in which that many femtoseconds are a number below 1000, or 100000 in nanoseconds: what most machines take.
const TimeUnit& unit_for(double fs) {
  const double size = std::abs(fs);
  if (size >= 1e6 && size < 1e11) return time_units[2];
  std::size_t unit = 0;
  while (unit + 1 < time_units.size() && size >= time_units[unit + 1].fs) ++unit;
  return time_units[unit];
}

std::string in_unit(double fs, const TimeUnit& unit, const char* sign = "") {
  return fmt::format("{}{:.{}f} {}", fs < 0 ? "-" : sign, std::abs(fs) / unit.fs, unit.fs == 1 ? 0 : 3, unit.name);
}

/// A whole number is the same whether it was written as one or with a point.
Value number(double value) {
  constexpr double exact = 9007199254740992;  // 2^53
  if (std::floor(value) == value && std::abs(value) <= exact) return static_cast<std::int64_t>(value);
  return value;
}

bool is_text(const Value& value) { return std::holds_alternative<std::string>(value); }

std::string plain_text(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* n = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *n);
  return fmt::format("{:.6g}", std::get<double>(value));
}

/// With as many decimals that a difference shows.
std::string rate_text(double bytes_per_second, const char* sign) {
  const std::string text = report::human_rate(std::abs(bytes_per_second));
  return bytes_per_second == 0 ? "0 B/s" : (bytes_per_second < 0 ? "-" : sign) + text;
}

/// In nanoseconds beside times that are in nanoseconds.
std::string time_difference(double fs, double beside) {
  const bool large = unit_for(beside).fs > 1e6 && unit_for(fs).fs == 1e6 && std::abs(fs) >= 1e9;
  return fs == 0 ? "0" : in_unit(fs, large ? time_units[3] : unit_for(fs), "+");
}

std::string difference_text(const std::string& column, const Value& a, const Value& b) {
  const std::optional<Value> exact = difference(a, b);
  if (!exact) return "";
  const double d = number_of(*exact);
  if (ends_with(column, "_fs")) return time_difference(d, std::max(std::abs(number_of(a)), std::abs(number_of(b))));
  if (ends_with(column, rate)) return rate_text(d, "+");
  if (const auto* whole = std::get_if<std::int64_t>(&*exact)) return fmt::format("{:+}", *whole);
  return fmt::format("{:+.6g}", d);
}

}  // namespace

const Value* find(const Row& row, const std::string& column) {
  const auto its = std::find_if(row.begin(), row.end(), [&](const Cell& c) { return c.column == column; });
  return its == row.end() ? nullptr : &its->value;
}

std::vector<std::string> columns(const Table& table) {
  std::vector<std::string> out = table.axes;
  for (const Row& row : table.rows)
    for (const Cell& cell : row)
      if (std::find(out.begin(), out.end(), cell.column) == out.end()) out.push_back(cell.column);
  return out;
}

Table table_of(const Json& rows) {
  Table out;
  if (!rows.is_array()) throw std::runtime_error("must be an array");
  for (const Json& in : rows) {
    const std::string pointer = fmt::format("/{}", out.rows.size());
    if (!in.is_object()) throw std::runtime_error(pointer + ": must be an object");
    Row& row = out.rows.emplace_back();
    for (const auto& [column, value] : in.items()) {
      constexpr std::uint64_t largest = std::numeric_limits<std::int64_t>::max();
      if (value.is_number_float() || (value.is_number_unsigned() && value.get<std::uint64_t>() > largest))
        row.push_back({column, number(value.get<double>())});
      else if (value.is_number())
        row.push_back({column, value.get<std::int64_t>()});
      else if (value.is_string())
        row.push_back({column, value.get<std::string>()});
      else if (value.is_boolean())
        row.push_back({column, std::string(value.get<bool>() ? "true" : "false")});
      else if (!value.is_null())
        throw std::runtime_error(fmt::format("{}/{}: must be a number or a text", pointer, column));
    }
  }
  return out;
}

double number_of(const Value& value) {
  if (const auto* n = std::get_if<std::int64_t>(&value)) return static_cast<double>(*n);
  return std::get<double>(value);
}

Json to_json(const Value& value) {
  return std::visit([](const auto& v) { return Json(v); }, value);
}

std::string bare_name(const std::string& column) {
  for (const char* unit : {rate, "_fs", "_bytes"})
    if (ends_with(column, unit)) return column.substr(0, column.size() - std::string(unit).size());
  return column;
}

bool is_time_or_rate(const std::string& column) { return ends_with(column, "_fs") || ends_with(column, rate); }

std::string human(const std::string& column, const Value& value) {
  const auto* fs = std::get_if<std::int64_t>(&value);
  if (fs != nullptr && ends_with(column, "_fs")) return to_string(Time::from_fs(*fs));
  return human(column, value, value).a;
}

HumanChange human(const std::string& column, const std::optional<Value>& a, const std::optional<Value>& b) {
  const auto each = [&](const auto& text) {
    return HumanChange{a ? text(*a) : "-", b ? text(*b) : "-", a && b ? difference_text(column, *a, *b) : ""};
  };
  if ((a && is_text(*a)) || (b && is_text(*b))) return each(plain_text);
  if (ends_with(column, rate)) return each([](const Value& v) { return rate_text(number_of(v), ""); });
  if (ends_with(column, "_fs")) {
    const double largest = std::max(a ? std::abs(number_of(*a)) : 0, b ? std::abs(number_of(*b)) : 0);
    return each([&](const Value& v) { return in_unit(number_of(v), unit_for(largest)); });
  }
  const auto bytes = [](const Value& v) {
    const auto* n = std::get_if<std::int64_t>(&v);
    return n == nullptr ? plain_text(v) : report::human_bytes(Bytes(*n));
  };
  return column == "bytes" || ends_with(column, "_bytes") ? each(bytes) : each(plain_text);
}

std::optional<Value> difference(const Value& a, const Value& b) {
  if (is_text(a) || is_text(b)) return std::nullopt;
  const auto* from = std::get_if<std::int64_t>(&a);
  const auto* to = std::get_if<std::int64_t>(&b);
  std::int64_t whole = 0;
  if (from != nullptr && to != nullptr && !__builtin_sub_overflow(*to, *from, &whole)) return whole;
  return number_of(b) - number_of(a);
}

std::string percent_text(std::optional<double> percent) {
  if (!percent) return "-";
  if (*percent == 0) return "0 %";
  return std::abs(*percent) >= 0.005 ? fmt::format("{:+.2f} %", *percent) : fmt::format("{:+.0e} %", *percent);
}

}  // namespace tsunagi::compare
