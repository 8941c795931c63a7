// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace tsunagi::config {

/// A number with what it measures.
struct Quantity {
  enum class Kind { number, percent, time, size, rate, frequency, length };
  Kind kind = Kind::number;
  double value = 0;  ///< in femtoseconds, bytes, bytes a second, hertz, um or percent; whole but for number and percent
};

/// What it measures, in words: "a time", "a bare number".
const char* name_of(Quantity::Kind kind);

/// Reads JSON text: a number, or a string with a unit ("120 ns", "4 KiB", "10 GB/s", "5 GT/s", "30 %"). Nothing for
/// anything else, an infinite rate included.
std::optional<Quantity> quantity_of(const std::string& json);

/// As JSON text: `"10 ns"`, `4`, `0.3`. Numbers keep 15 digits, the rest is rounded to whole base units.
std::string to_json_text(const Quantity& quantity);

/// Without what binary fractions add: 0.1 + 2 * 0.1 is 0.3; whole, but for numbers and percentages.
double tidy(const Quantity& quantity);

}  // namespace tsunagi::config
