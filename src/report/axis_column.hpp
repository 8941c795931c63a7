// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace tsunagi::report {

/// A value as formats for programs have it; null: the row says that it has none.
using PlainValue = std::variant<std::int64_t, double, bool, std::string, std::nullptr_t>;

/// A number that is whole as an integer, if 64 bits hold it exactly.
PlainValue plain_number(double value);

/// The column of an axis along which runs were varied: its name, and the base unit of its values.
struct AxisColumn {
  std::string name;  ///< as tables have it: "flight"
  std::string unit;  ///< "fs", "bytes", "bytes_per_second", "hz", "um", "ppm"; empty: numbers or texts

  AxisColumn(const char* axis) : name(axis) {}
  AxisColumn(std::string axis) : name(std::move(axis)) {}
  /// From all values of the axis, as JSON text: a unit if all are quantities of one kind.
  AxisColumn(std::string axis, const std::vector<std::string>& values);

  /// Name with unit: "flight_fs".
  std::string key() const;
  /// What a value is in the unit, from the text that tables show ("10 ns"). Without a unit what JSON takes for a number
  /// or a truth value, else the text.
  PlainValue value(const std::string& shown) const;
};

}  // namespace tsunagi::report
