// SPDX-License-Identifier: Apache-2.0
#include "sweep/listing.hpp"

#include <fmt/format.h>

#include "report/csv.hpp"
#include "report/table_layout.hpp"
#include "sweep/measured.hpp"
#include "sweep/text.hpp"

namespace tsunagi::sweep {
namespace {

std::vector<std::string> columns(const Points& points) {
  std::vector<std::string> out{"index", "point"};
  const std::vector<std::string> axes = axis_columns(points.axes, out);
  out.insert(out.end(), axes.begin(), axes.end());
  return out;
}

std::vector<std::string> cells(std::size_t index, const Point& point) {
  std::vector<std::string> out{fmt::format("{}", index), point.id};
  for (const Coordinate& c : point.coordinates) out.push_back(c.value);
  return out;
}

std::string csv_line(const std::vector<std::string>& fields) {
  std::string out;
  for (const std::string& field : fields) out += (out.empty() ? "" : ",") + report::csv_field(field);
  return out + "\n";
}

}  // namespace

void list_as_table(const Points& points, const Output& output) {
  report::TextTable table;
  for (const std::string& name : columns(points))
    table.column(name, name == "point" ? report::Align::left : report::Align::right);
  for (std::size_t i = 0; i < points.size; ++i) table.row(cells(i, points.at(i)));
  output(table.text());
}

void list_as_csv(const Points& points, const Output& output) {
  output(csv_line(columns(points)));
  for (std::size_t i = 0; i < points.size; ++i) output(csv_line(cells(i, points.at(i))));
}

void list_as_jsonl(const Points& points, const Output& output) {
  const std::vector<std::string> names = columns(points);
  for (std::size_t i = 0; i < points.size; ++i) {
    const Point point = points.at(i);
    nlohmann::ordered_json object{{"index", i}, {"point", point.id}};
    for (std::size_t k = 0; k < point.coordinates.size(); ++k)
      object[names.at(k + 2)] = json_value(point.coordinates[k].value);
    output(json_line(object));
  }
}

}  // namespace tsunagi::sweep
