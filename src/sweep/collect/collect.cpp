// SPDX-License-Identifier: Apache-2.0
#include "sweep/collect/collect.hpp"

#include <fmt/format.h>

#include <optional>
#include <set>

#include "report/digest.hpp"
#include "report/measured.hpp"
#include "sweep/collect/axis_columns.hpp"
#include "sweep/collect/idle_axes.hpp"

namespace tsunagi::sweep {
namespace {

/// The digest of all points before and one more.
std::string chained(const std::string& before, const std::string& id, const Result* result) {
  report::Rows one;
  report::Row& row = one.rows.emplace_back();
  row.text("before", before).text("point", id);
  if (result == nullptr)
    row.text("status", "missing");
  else if (!result->ok)
    row.text("status", "failed");
  else
    row.text("rows", report::digest(result->rows));
  return report::digest(one);
}

void add_cell(report::Row& row, const std::string& name, const report::Cell& cell) {
  if (const auto* t = std::get_if<Time>(&cell))
    row.time(name, *t);
  else if (const auto* b = std::get_if<Bytes>(&cell))
    row.bytes(name, *b);
  else if (const auto* n = std::get_if<std::int64_t>(&cell))
    row.count(name, *n);
  else if (const auto* none = std::get_if<report::NoTime>(&cell))
    row.no_time(name, none->why);
  else
    row.text(name, std::get<std::string>(cell));
}

std::optional<Result> found(const Results& results, const Point& point, const Complaint& complaint) {
  try {
    std::optional<Result> result = results.find(point.id);
    if (result && !result->ok) result->rows = {};
    if (!result) complaint(fmt::format("point {} has not been simulated yet", name_of(point)));
    return result;
  } catch (const DamagedResult& e) {
    complaint(e.what());
    return std::nullopt;
  }
}

/// The columns of all that was measured.
std::vector<report::Column> measures(const Points& points, const Results& results) {
  std::vector<report::Column> out;
  std::set<std::string> known;
  for (std::size_t i = 0; i < points.size; ++i) {
    const std::optional<Result> result = found(results, points.at(i), [](const std::string&) {});
    if (!result) continue;
    for (report::Column& column : report::columns(result->rows))
      if (known.insert(column.key).second) out.push_back(std::move(column));
  }
  return out;
}

}  // namespace

std::string name_of(const Point& point) {
  std::string out;
  for (const Coordinate& c : point.coordinates) out += fmt::format("{}{}={}", out.empty() ? "" : " ", c.axis, c.value);
  return fmt::format("{} ({})", out, point.id);
}

Summary collect(const Points& points, const Results& results, Collector& collector, const Complaint& complaint) {
  Summary out;
  IdleAxes idle;
  if (collector.wants_measures()) collector.begin(measures(points, results));
  for (std::size_t i = 0; i < points.size; ++i) {
    const Point point = points.at(i);
    const std::optional<Result> result = found(results, point, complaint);
    out.digest = chained(out.digest, point.id, result ? &*result : nullptr);
    ++(!result ? out.missing : result->ok ? out.ok : out.failed);
    if (!result) continue;
    for (const std::string& message : result->messages)
      complaint(fmt::format("point {} failed: {}", name_of(point), message));
    collector.take(i, point, *result);
    idle.take(point.coordinates, report::digest(result->rows));
  }
  if (out.failed + out.missing == 0) out.idle = idle.names();
  collector.end(out);
  return out;
}

void TableCollector::take(std::size_t, const Point& point, const Result& result) {
  report::add_attempt(cost_, result.cost);
  cost_.packet_hops += result.cost.packet_hops;
  cost_.simulated += result.cost.simulated;
  if (rows_.rates.empty()) rows_.rates = result.rows.rates;
  for (const report::Row& row : result.rows.rows) {
    rows_.rows.push_back(row);
    places_.push_back(point.coordinates);
  }
}

void TableCollector::end(const Summary&) {
  rows_.axes = axis_columns(axes_, names_of(report::columns(rows_), {}));
  for (std::size_t i = 0; i < places_.size(); ++i) {
    report::Row row;
    for (std::size_t k = 0; k < rows_.axes.size() && k < places_[i].size(); ++k)
      row.text(rows_.axes[k].name, places_[i][k].value);
    for (const auto& [name, cell] : rows_.rows[i].cells()) add_cell(row, name, cell);
    rows_.rows[i] = std::move(row);
  }
}

}  // namespace tsunagi::sweep
