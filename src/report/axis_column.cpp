// SPDX-License-Identifier: Apache-2.0
#include "report/axis_column.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "config/quantity.hpp"
#include "report/formats/table_layout.hpp"
#include "units/parse.hpp"

namespace tsunagi::report {
namespace {

using Kind = config::Quantity::Kind;

const char* unit_of(Kind kind) {
  switch (kind) {
    case Kind::time:
      return "fs";
    case Kind::size:
      return "bytes";
    case Kind::rate:
      return "bytes_per_second";
    case Kind::frequency:
      return "hz";
    case Kind::length:
      return "um";
    case Kind::percent:
      return "ppm";
    case Kind::number:
      break;
  }
  return "";
}

PlainValue scalar(const std::string& shown) {
  const auto value = nlohmann::json::parse(shown, nullptr, false);
  if (value.is_number_integer() && !(value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX))
    return value.get<std::int64_t>();
  if (value.is_number_float()) return value.get<double>();
  if (value.is_boolean()) return value.get<bool>();
  return shown;
}

}  // namespace

PlainValue plain_number(double value) {
  constexpr double exact = 9007199254740992.0;  // 2^53
  if (value == std::nearbyint(value) && std::abs(value) <= exact) return static_cast<std::int64_t>(value);
  return value;
}

AxisColumn::AxisColumn(std::string axis, const std::vector<std::string>& values) : name(std::move(axis)) {
  std::optional<Kind> all;
  for (const std::string& value : values) {
    const auto quantity = config::quantity_of(value);
    if (!quantity || (all && *all != quantity->kind)) return;
    all = quantity->kind;
  }
  if (all) unit = unit_of(*all);
}

std::string AxisColumn::key() const { return with_unit(name, unit); }

PlainValue AxisColumn::value(const std::string& shown) const {
  if (unit.empty()) return scalar(shown);
  try {
    if (unit == "fs") return parse_time(shown).fs();
    if (unit == "bytes") return parse_bytes(shown).count();
  } catch (const UnitError&) {
    return shown;
  }
  const auto quantity = config::quantity_of(nlohmann::json(shown).dump());
  if (!quantity) return shown;
  constexpr double ppm_a_percent = 1e4;
  return plain_number(unit == "ppm" ? quantity->value * ppm_a_percent : quantity->value);
}

}  // namespace tsunagi::report
