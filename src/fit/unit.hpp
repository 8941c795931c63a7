// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "config/quantity.hpp"

namespace tsunagi::fit {

/// What a column is in: 1 of it as a quantity; "" is a bare number. Nothing for what is no unit.
std::optional<config::Quantity> unit_of(const std::string& unit);

/// A number in a unit as expressions have it: seconds, bytes, bytes a second, or as it is.
double in_base(double number, const config::Quantity& unit);

}  // namespace tsunagi::fit
