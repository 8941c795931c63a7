// SPDX-License-Identifier: Apache-2.0
#include "sweep/collect/listing.hpp"

#include <fmt/format.h>

#include "report/formats/csv.hpp"
#include "report/formats/table_layout.hpp"
#include "sweep/collect/axis_columns.hpp"
#include "sweep/plan/text.hpp"

namespace tsunagi::sweep {
namespace {

std::vector<report::AxisColumn> axes_of(const Points& points) { return axis_columns(points.axes, {"index", "point"}); }

}  // namespace

void list_as_table(const Points& points, const Output& output) {
  report::TextTable table;
  table.column("index", report::Align::right);
  table.column("point", report::Align::left);
  for (const report::AxisColumn& axis : axes_of(points)) table.column(axis.name, report::Align::right);
  for (std::size_t i = 0; i < points.size; ++i) {
    const Point point = points.at(i);
    std::vector<std::string> cells{fmt::format("{}", i), point.id};
    for (const Coordinate& c : point.coordinates) cells.push_back(c.value);
    table.row(std::move(cells));
  }
  output(table.text());
}

void list_as_csv(const Points& points, const Output& output) {
  const std::vector<report::AxisColumn> axes = axes_of(points);
  std::string header = "index,point";
  for (const report::AxisColumn& axis : axes) header += "," + report::csv_field(axis.key());
  output(header + "\n");
  for (std::size_t i = 0; i < points.size; ++i) {
    const Point point = points.at(i);
    std::string line = fmt::format("{},{}", i, point.id);
    for (const report::Measured& place : places(axes, point)) line += "," + report::csv_value(place.value);
    output(line + "\n");
  }
}

void list_as_jsonl(const Points& points, const Output& output) {
  const std::vector<report::AxisColumn> axes = axes_of(points);
  for (std::size_t i = 0; i < points.size; ++i) {
    const Point point = points.at(i);
    nlohmann::ordered_json object{{"index", i}, {"point", point.id}};
    for (const report::Measured& place : places(axes, point)) object[place.key] = report::to_json(place.value);
    output(json_line(object));
  }
}

}  // namespace tsunagi::sweep
