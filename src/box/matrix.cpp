// SPDX-License-Identifier: Apache-2.0
#include "box/matrix.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "box/alike.hpp"
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

/// In seconds, of the length that is wanted of a run that has two; 0: it has not.
double seconds_of_wanted(const Observed& o, const Reading& reading,
                         const std::vector<std::pair<std::string, std::string>>& says) {
  const auto of = [&](const report::Rows& rows, Bytes length) {
    auto words = says;
    if (o.shorter.rows.empty()) words.emplace_back("size", to_string(length));
    const Row* row = row_with(rows, words);
    const double bytes = row == nullptr ? 0 : bytes_of(*row);
    return bytes > 0 ? seconds(*row, reading.time) * static_cast<double>(length.count()) / bytes : 0;
  };
  const Lengths& l = *reading.lengths;
  const double shorter = of(o.shorter.rows.empty() ? o.rows : o.shorter, l.shorter);
  const double longer = of(o.rows, l.longer);
  if (!(shorter > 0) || !(longer > shorter)) return 0;
  return longer + (longer - shorter) * static_cast<double>((l.wanted - l.longer).count()) /
                      static_cast<double>((l.longer - l.shorter).count());
}

/// Bytes a second, or of a latency seconds, of one of a cell's rows; nothing: the run has no such row.
std::optional<double> value_in(const Observed& o, const Cell& cell,
                               const std::vector<std::pair<std::string, std::string>>& says) {
  const Reading& reading = *cell.reading;
  if (reading.lengths) {
    const double time = seconds_of_wanted(o, reading, says);
    if (!(time > 0)) return std::nullopt;
    return static_cast<double>(reading.lengths->wanted.count()) / time;
  }
  const Row* row = row_with(o.rows, says);
  const double time = row == nullptr ? 0 : seconds(*row, reading.time);
  if (!(time > 0)) return std::nullopt;
  return is_rate(cell.what) ? bytes_of(*row) / time : time;
}

/// A closed form.
struct Top {
  std::string name;
  double rate = 0;  // bytes a second; 0: there is none
};

/// The lowest ceiling of the cell's rows.
const report::Ceiling* lowest_ceiling(const Cell& cell, const report::Rows& rows) {
  for (const report::Ceiling& c : rows.ceilings) {  // the lowest first
    if (c.method.empty()) return &c;
    for (const auto& says : cell.reading->rows)
      for (const auto& [column, text] : says)
        if (column == "method" && text == c.method) return &c;
    if (cell.reading->rows.front().empty() || cell.reading->rows.front().front().first == "size") return &c;
  }
  return nullptr;
}

/// How many cells have equal shares of what the run's rows say.
double shares(const Cell& cell) { return cell.what == What::at_once ? 1 / cell.reading->times : 1; }

Top lowest(const Cell& cell, const report::Rows& rows) {
  const report::Ceiling* c = lowest_ceiling(cell, rows);
  Top out;
  if (c != nullptr) out = {c->name, c->rate.bytes_per_second()};
  for (const auto& [name, of_one] : cell.bounds) {
    const double rate = of_one * shares(cell);
    if (!(out.rate > 0) || rate < out.rate) out = {name, rate};
  }
  return out;
}

/// What a ceiling is of, without its place: "link payload" of "link payload, node0.gpu0.pcie".
std::string kind_of(const Top& c) { return "ceiling " + c.name.substr(0, c.name.find(", ")); }

/// How long all takes that the run moves, at the rates of the cell's rows; in seconds.
double seconds_of(const Run& run, const Cell& cell, const Observed& o) {
  double out = 0;
  const std::string kind = run.scenario.at("kind");
  if (kind == "ping_pong") {
    for (const Row& row : o.rows.rows) out += seconds(row, "latency");  // each direction has every other message
    return out;
  }
  for (const auto& says : cell.reading->rows) {
    const std::optional<double> rate = value_in(o, cell, says);
    if (!rate) continue;
    if (kind == "copies") {
      const double pairs = static_cast<double>(run.scenario.at("copies").size());
      out = std::max(out, bytes_moved(run) / pairs / *rate);
      continue;
    }
    if (cell.reading->lengths) {
      out = std::max(out, static_cast<double>(cell.reading->lengths->longer.count()) / *rate);
      continue;
    }
    double all = 1;
    if (kind == "pcie_bench")
      all += run.scenario.at("warm_up").get<double>() / run.scenario.at("transactions").get<double>();
    out = std::max(out, seconds(*row_with(o.rows, says), "time") * all);
  }
  return out;
}

/// The busiest wire of the cell's way; of those that are about as busy the first.
const WireUse* busiest(const Cell& cell, const Observed& o) {
  constexpr double alike = 1.02;
  const WireUse* out = nullptr;
  for (const std::size_t link : cell.way) {
    const auto use = o.uses.find(link);
    if (use != o.uses.end() && (out == nullptr || use->second.busy > out->busy * alike)) out = &use->second;
  }
  return out;
}

Limit limit_of(const Plan& plan, const Cell& cell, const Observed& o, double value) {
  const double rate = cell.what == What::both_ways ? value / 2 : value * shares(cell);
  const Top top = lowest(cell, o.rows);
  const WireUse* wire = busiest(cell, o);
  const double time = seconds_of(plan.runs[cell.reading->run], cell, o);
  const double use = wire == nullptr || !(time > 0) ? 0 : std::min(1.0, wire->busy / time);
  const std::string where =
      wire == nullptr ? "" : fmt::format("{} > {}, {:.1f} % busy", wire->from, wire->to, 100 * use);
  const std::string ceiling = top.rate > 0 ? fmt::format("{}, {:.2f} GB/s", top.name, top.rate * 1e-9) : "";
  if (use >= is_busy) return {Limit::By::wire, "wire " + wire->wire, where};
  if (top.rate > 0 && rate >= is_reached * top.rate) return {Limit::By::ceiling, kind_of(top), ceiling};
  if (cell.chunks)
    return {Limit::By::none, "copies by way of the host, whose first and last chunk do not overlap", where};
  return {Limit::By::none, "latencies: no wire is full" + (top.rate > 0 ? "; lowest is the " + kind_of(top) : ""),
          where + (where.empty() || ceiling.empty() ? "" : "; ") + ceiling};
}

}  // namespace

Value value_of(const Plan& plan, const Cell& cell, const Observed& o) {
  Value out;
  if (!cell.reading) return {{}, cell.why_not, {}, {}};
  if (o.status != runner::Status::ok) return {{}, o.why_not, {}, {}};
  double sum = 0;
  for (const auto& says : cell.reading->rows) {
    const std::optional<double> value = value_in(o, cell, says);
    if (!value) return {{}, "the run has no such row", {}, {}};
    sum += *value;
  }
  out.value = sum * cell.reading->times;
  if (!is_rate(cell.what)) return out;
  out.limit = limit_of(plan, cell, o, *out.value);
  if (const auto& twin = plan.runs[cell.reading->run].twin)
    out.limit.where = told_of_twin(out.limit.where, plan.server, *twin);
  return out;
}

std::vector<Value> values_of(const Plan& plan, const topo::Graph& graph, const std::vector<Observed>& observed) {
  const Alike alike(graph, plan.server);
  const auto pairs = [&](const Cell& c) {
    Pairs out;
    for (const auto& [from, to] : plan.groups[c.group].pairs)
      out.emplace_back(&plan.server.places[from], &plan.server.places[to]);
    return out;
  };
  std::vector<Value> out;
  for (const Cell& c : plan.cells) {
    if (!c.alike) {
      out.push_back(value_of(plan, c, c.reading ? observed[c.reading->run] : Observed{}));
      continue;
    }
    const Cell& other = plan.cells[*c.alike];
    out.push_back(out[*c.alike]);
    out.back().limit.where = alike.renamed(out.back().limit.where, pairs(other), pairs(c), plan.groups[c.group].reach);
    out.back().why_not = alike.renamed(out.back().why_not, pairs(other), pairs(c), plan.groups[c.group].reach);
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
