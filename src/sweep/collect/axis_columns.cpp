// SPDX-License-Identifier: Apache-2.0
#include "sweep/collect/axis_columns.hpp"

#include <strings.h>

#include <algorithm>

namespace tsunagi::sweep {

std::vector<report::AxisColumn> axis_columns(std::vector<report::AxisColumn> axes, std::vector<std::string> taken) {
  const auto has = [&taken](const std::string& name) {
    return std::any_of(taken.begin(), taken.end(),
                       [&name](const std::string& t) { return ::strcasecmp(t.c_str(), name.c_str()) == 0; });
  };
  const auto is_taken = [&has](const report::AxisColumn& axis) { return has(axis.name) || has(axis.key()); };
  const auto take = [&taken](const report::AxisColumn& axis) {
    taken.push_back(axis.name);
    taken.push_back(axis.key());
  };
  std::vector<report::AxisColumn*> clashing;
  for (report::AxisColumn& axis : axes) {
    if (is_taken(axis))
      clashing.push_back(&axis);
    else
      take(axis);
  }
  for (report::AxisColumn* axis : clashing) {
    while (is_taken(*axis)) axis->name += "_axis";
    take(*axis);
  }
  return axes;
}

std::vector<report::Measured> places(const std::vector<report::AxisColumn>& axes, const Point& point) {
  std::vector<report::Measured> out;
  for (std::size_t i = 0; i < axes.size() && i < point.coordinates.size(); ++i)
    out.push_back({{axes[i].name, axes[i].unit, axes[i].key()}, axes[i].value(point.coordinates[i].value)});
  return out;
}

std::vector<std::string> names_of(const std::vector<report::Column>& columns, std::vector<std::string> more) {
  for (const report::Column& column : columns) {
    more.push_back(column.name);
    more.push_back(column.key);
  }
  return more;
}

}  // namespace tsunagi::sweep
