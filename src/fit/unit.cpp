// SPDX-License-Identifier: Apache-2.0
#include "fit/unit.hpp"

namespace tsunagi::fit {

using config::Quantity;

std::optional<Quantity> unit_of(const std::string& unit) {
  if (unit.empty()) return Quantity{Quantity::Kind::number, 1};
  // Units are steps of ten thousands: the smallest of a whole base unit is told in thousands.
  if (auto thousand = config::quantity_of("\"1000 " + unit + "\"")) {
    thousand->value /= 1000;
    return thousand;
  }
  return std::nullopt;
}

double in_base(double number, const Quantity& unit) {
  const double value = number * unit.value;
  return unit.kind == Quantity::Kind::time ? value / 1e15 : value;
}

}  // namespace tsunagi::fit
