// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tsunagi::sweep {

/// A number with what it measures.
struct Quantity {
  enum class Kind { number, percent, time, size, rate, frequency };
  Kind kind = Kind::number;
  double value = 0;  ///< in femtoseconds, bytes, bytes a second, hertz or percent; whole but for number and percent
};

/// Reads JSON text: a number, or a string with a unit ("120 ns", "4 KiB", "10 GB/s", "5 GT/s", "30 %"). Nothing for
/// anything else, an infinite rate included.
std::optional<Quantity> quantity_of(const std::string& json);

/// As JSON text: `"10 ns"`, `4`, `0.3`. Numbers keep 15 digits, the rest is rounded to whole base units.
std::string to_json_text(const Quantity& quantity);

/// What it is in an expression: nanoseconds, bytes, bytes a second, hertz, percent, or the bare number.
double in_expressions(const Quantity& quantity);

/// from, from + step, ... as far as `to`, upwards or downwards. Throws std::invalid_argument if they do not measure
/// the same, the step is not above 0 or there would be more than a million.
std::vector<Quantity> stepped(const Quantity& from, const Quantity& to, const Quantity& step);

/// `count` values at equal distances, `from` and `to` included. Throws std::invalid_argument likewise, and below two.
std::vector<Quantity> counted(const Quantity& from, const Quantity& to, std::int64_t count);

/// from, 2 from, 4 from, ... as far as `to`. Throws std::invalid_argument if `from` is not above 0 or above `to`.
std::vector<Quantity> doubled(const Quantity& from, const Quantity& to);

}  // namespace tsunagi::sweep
