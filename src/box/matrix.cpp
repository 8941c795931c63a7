// SPDX-License-Identifier: Apache-2.0
#include "box/matrix.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "units/parse.hpp"

namespace tsunagi::box {
namespace {

using report::Row;

std::string text_of(const report::Cell* cell) {
  if (cell == nullptr) return "";
  if (const auto* text = std::get_if<std::string>(cell)) return *text;
  if (const auto* bytes = std::get_if<Bytes>(cell)) return to_string(*bytes);
  return "";
}

const Row* row_with(const report::Rows& rows, const std::vector<std::pair<std::string, std::string>>& says) {
  for (const Row& row : rows.rows)
    if (std::all_of(says.begin(), says.end(), [&](const auto& s) { return text_of(row.find(s.first)) == s.second; }))
      return &row;
  return nullptr;
}

double seconds(const Row& row, const std::string& column) {
  const report::Cell* cell = row.find(column);
  const auto* time = cell == nullptr ? nullptr : std::get_if<Time>(cell);
  return time == nullptr ? 0 : static_cast<double>(time->fs()) * 1e-15;
}

double bytes_of(const Row& row) {
  for (const char* column : {"bytes", "size"})
    if (const report::Cell* cell = row.find(column))
      if (const auto* bytes = std::get_if<Bytes>(cell)) return static_cast<double>(bytes->count());
  return 0;
}

/// The lowest ceiling of the cell's rows.
const report::Ceiling* lowest(const Cell& cell, const report::Rows& rows) {
  for (const report::Ceiling& c : rows.ceilings) {  // the lowest first
    if (c.method.empty()) return &c;
    for (const auto& says : cell.reading->rows)
      for (const auto& [column, text] : says)
        if (column == "method" && text == c.method) return &c;
    if (cell.reading->rows.front().empty() || cell.reading->rows.front().front().first == "size") return &c;
  }
  return nullptr;
}

/// What a ceiling is of, without its place: "link payload" of "link payload, node0.gpu0.pcie".
std::string kind_of(const report::Ceiling& c) { return "ceiling " + c.name.substr(0, c.name.find(", ")); }

Limit limit_of(const Cell& cell, const Observed& o, double value) {
  const double rate = cell.what == What::both_ways ? value / 2 : value;
  const report::Ceiling* c = lowest(cell, o.rows);
  const double top = c == nullptr ? 0 : c->rate.bytes_per_second();
  if (o.busiest && o.busiest->use >= is_busy)
    return {Limit::By::wire, "wire " + o.busiest->wire,
            fmt::format("{} > {}, {:.1f} % busy", o.busiest->from, o.busiest->to, 100 * o.busiest->use)};
  if (top > 0 && rate >= is_reached * top)
    return {Limit::By::ceiling, kind_of(*c), fmt::format("{}, {:.2f} GB/s", c->name, top * 1e-9)};
  return {Limit::By::none, "latencies: no wire is busy, no ceiling near",
          o.busiest
              ? fmt::format("busiest wire {} > {}, {:.1f} %", o.busiest->from, o.busiest->to, 100 * o.busiest->use)
              : ""};
}

}  // namespace

Value value_of(const Cell& cell, const Observed& o) {
  Value out;
  if (!cell.reading) return {{}, cell.why_not, {}, {}};
  if (o.status != runner::Status::ok) return {{}, o.why_not, {}, {}};
  double sum = 0;
  for (const auto& says : cell.reading->rows) {
    const Row* row = row_with(o.rows, says);
    const double time = row == nullptr ? 0 : seconds(*row, cell.reading->time);
    if (!(time > 0)) return {{}, "the run has no such row", {}, {}};
    sum += is_rate(cell.what) ? bytes_of(*row) / time : time;
  }
  out.value = sum * cell.reading->times;
  if (is_rate(cell.what)) out.limit = limit_of(cell, o, *out.value);
  return out;
}

double seconds_of(const Run& run, const report::Rows& rows) {
  double out = 0;
  const std::string kind = run.scenario.at("kind");
  for (const Row& row : rows.rows) {
    if (kind == "copies" && text_of(row.find("how")) == "at once") {
      const double each = seconds(row, "time") / bytes_of(row);
      const auto* size = std::get_if<Bytes>(row.find("size"));
      out = std::max(out, each * static_cast<double>(size->count()) * run.scenario.at("queued").get<double>());
    } else if (kind == "pcie_bench") {
      const double measured = run.scenario.at("transactions");
      out += seconds(row, "time") * (measured + run.scenario.at("warm_up").get<double>()) / measured;
    } else if (kind == "ping_pong") {
      out += seconds(row, "latency");  // each direction has every other message
    }
  }
  return out;
}

const Cell* find(const Plan& plan, std::size_t from, std::size_t to, What what) {
  for (const Cell& c : plan.cells)
    if (c.what == what && ((c.from == from && c.to == to) || (what == What::both_ways && c.from == to && c.to == from)))
      return &c;
  return nullptr;
}

}  // namespace tsunagi::box
