// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "config/quantity.hpp"

namespace tsunagi::sweep {

using config::Quantity;
using config::quantity_of;
using config::to_json_text;

/// What it is in an expression: nanoseconds, bytes, bytes a second, hertz, metres, percent, or the bare number.
double in_expressions(const Quantity& quantity);

/// from, from + step, ... as far as `to`, upwards or downwards. Throws std::invalid_argument if they do not measure
/// the same, the step is not above 0 or there would be more than a million.
std::vector<Quantity> stepped(const Quantity& from, const Quantity& to, const Quantity& step);

/// `count` values at equal distances, `from` and `to` included. Throws std::invalid_argument likewise, and below two.
std::vector<Quantity> counted(const Quantity& from, const Quantity& to, std::int64_t count);

/// from, 2 from, 4 from, ... as far as `to`. Throws std::invalid_argument if `from` is not above 0 or above `to`.
std::vector<Quantity> doubled(const Quantity& from, const Quantity& to);

}  // namespace tsunagi::sweep
