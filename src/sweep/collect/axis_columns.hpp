// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "report/axis_column.hpp"
#include "report/measured.hpp"
#include "sweep/plan/point.hpp"

namespace tsunagi::sweep {

/// The axes' columns, all different whatever their case, with and without their units: "_axis" is added to the name of
/// one that is in `taken`, or that an axis before it has.
std::vector<report::AxisColumn> axis_columns(std::vector<report::AxisColumn> axes, std::vector<std::string> taken);

/// Where a point is on each axis.
std::vector<report::Measured> places(const std::vector<report::AxisColumn>& axes, const Point& point);

/// Beside `more` names those of all columns, with and without their units.
std::vector<std::string> names_of(const std::vector<report::Column>& columns, std::vector<std::string> more);

}  // namespace tsunagi::sweep
