// SPDX-License-Identifier: Apache-2.0
#include "compare/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/formats/csv.hpp"
#include "report/formats/table_layout.hpp"

namespace tsunagi::compare {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_lines = 40;

std::string side_lines(const Report& r) {
  const auto line = [](const char* letter, const Side& side, bool with_version) {
    const std::string version = side.version.empty() ? "of an unknown version" : "tsunagi " + side.version;
    return fmt::format("{}: {} ({}{})\n", letter, side.name, side.kind, with_version ? ", " + version : "");
  };
  const bool versions = r.a.version != r.b.version;
  return line("A", r.a, versions) + line("B", r.b, versions);
}

std::string setting_lines(const Report& r) {
  if (!r.settings) return "";
  return r.settings->empty() ? "\nThe configs say the same.\n" : "\n" + text(*r.settings);
}

/// A change of a pair, and how large it is: times and rates before others.
struct Line {
  std::size_t pair;
  const Change* change;
  std::pair<bool, double> size;
};

/// Those that moved most, in the order of the rows.
std::vector<Line> largest_lines(const RowsDifference& rows, std::size_t& left_out) {
  std::vector<Line> out;
  const std::vector<Everywhere> told = changed_everywhere(rows);
  const auto is_told = [&](const Change& c) {
    return std::any_of(told.begin(), told.end(), [&](const Everywhere& e) { return e.column == c.column; });
  };
  for (std::size_t p = 0; p < rows.rows.size(); ++p)
    for (const Change& c : rows.rows[p].columns)
      if (c.moved() && !is_told(c))
        out.push_back({p, &c, {is_time_or_rate(c.column), std::abs(c.percent().value_or(INFINITY))}});
  left_out = out.size() > most_lines ? out.size() - most_lines : 0;
  if (left_out == 0) return out;
  std::stable_sort(out.begin(), out.end(), [](const Line& x, const Line& y) { return x.size > y.size; });
  out.resize(most_lines);
  std::stable_sort(out.begin(), out.end(), [](const Line& x, const Line& y) { return x.pair < y.pair; });
  return out;
}

std::string moved_table(const Report& r) {
  using report::Align;
  std::size_t left_out = 0;
  const std::vector<Line> lines = largest_lines(r.rows, left_out);
  if (lines.empty()) return "";
  report::TextTable table;
  for (const std::string& key : r.rows.keys) {
    const Value* first = find(r.a.table.rows[r.rows.rows.front().a], key);
    const bool is_text = first != nullptr && std::holds_alternative<std::string>(*first);
    table.column(bare_name(key), is_text ? Align::left : Align::right);
  }
  table.column("column", Align::left);
  for (const char* heading : {"A", "B", "difference", "change"}) table.column(heading, Align::right);
  for (const Line& line : lines) {
    const Row& row = r.a.table.rows[r.rows.rows[line.pair].a];
    std::vector<std::string> cells;
    for (const std::string& key : r.rows.keys) {
      const Value* value = find(row, key);
      cells.push_back(value == nullptr ? "" : human(key, *value));
    }
    const HumanChange change = human(line.change->column, line.change->a, line.change->b);
    cells.insert(cells.end(), {bare_name(line.change->column), change.a, change.b, change.difference,
                               percent_text(line.change->percent())});
    table.row(std::move(cells));
  }
  return "\n" + table.text() +
         (left_out == 0 ? "" : fmt::format("{} more moved less: --format csv has all\n", left_out));
}

std::string everywhere_lines(const RowsDifference& rows) {
  std::string out;
  for (const Everywhere& e : changed_everywhere(rows)) {
    const HumanChange change = human(e.column, e.a, e.b);
    out += fmt::format("{} in all rows: {} -> {}\n", bare_name(e.column), change.a, change.b);
  }
  return out.empty() ? "" : "\n" + out;
}

std::string only_lines(const char* letter, const Side& side, const std::vector<std::size_t>& rows,
                       const std::vector<std::string>& keys) {
  constexpr std::size_t most = 10;
  std::string out;
  for (std::size_t i = 0; i < rows.size() && i < most; ++i) {
    const std::string name = name_of(side.table.rows[rows[i]], keys);
    out += fmt::format("only in {}: row {}{}\n", letter, rows[i] + 1, name.empty() ? "" : ": " + name);
  }
  if (rows.size() > most) out += fmt::format("only in {}: {} more rows\n", letter, rows.size() - most);
  return out;
}

std::string counted(std::size_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

/// "12 rows, 3 moved, largest +4.20 % latency at size 8 B".
std::string summary(const Report& r) {
  std::string out = fmt::format("{}, {} moved", counted(r.rows.rows.size(), "row"), r.rows.moved_rows());
  if (const auto most = largest(r.rows)) {
    const RowPair& pair = r.rows.rows[most->pair];
    const Change& change = pair.columns[most->column];
    const std::string at = name_of(r.a.table.rows[pair.a], r.rows.keys);
    const auto percent = change.percent();
    out += fmt::format(", largest {}{}{}", percent ? percent_text(percent) + " " : "", bare_name(change.column),
                       at.empty() ? "" : " at " + at);
  }
  for (const auto& [letter, rows] : {std::pair("A", &r.rows.only_a), std::pair("B", &r.rows.only_b)})
    if (!rows->empty()) out += fmt::format(", {} only in {}", rows->size(), letter);
  for (const auto& [letter, columns] : {std::pair("A", &r.rows.columns_only_a), std::pair("B", &r.rows.columns_only_b)})
    if (!columns->empty())
      out += fmt::format("; only {} has {} {}", letter, columns->size() == 1 ? "column" : "columns",
                         fmt::join(*columns, ", "));
  return out + "\n";
}

std::string stage_lines(const Report& r) {
  if (!r.why_no_stages.empty()) return "\nStages: " + r.why_no_stages + "\n";
  std::string out;
  for (const StageDifference& d : r.stages)
    if (d.moved()) out += "\n" + text(d);
  if (out.empty()) return "";
  return fmt::format("\nWhere the time went{}:\n", r.stages_of.empty() ? "" : ", " + r.stages_of) + out.substr(1);
}

Json optional_json(const std::optional<Value>& value) { return value ? to_json(*value) : Json(); }

Json difference_json(const Change& c) { return optional_json(c.a && c.b ? difference(*c.a, *c.b) : std::nullopt); }

Json key_json(const Row& row, const std::vector<std::string>& keys) {
  Json out = Json::object();
  for (const std::string& key : keys)
    if (const Value* value = find(row, key)) out[key] = to_json(*value);
  return out;
}

Json row_json(const Row& row) {
  Json out = Json::object();
  for (const Cell& cell : row) out[cell.column] = to_json(cell.value);
  return out;
}

Json pair_json(const Report& r, const RowPair& pair) {
  Json out{{"key", key_json(r.a.table.rows[pair.a], r.rows.keys)}, {"moved", pair.moved()}};
  Json& columns = out["columns"] = Json::object();
  for (const Change& c : pair.columns) {
    const auto percent = c.percent();
    columns[c.column] = {{"a", optional_json(c.a)},
                         {"b", optional_json(c.b)},
                         {"difference", difference_json(c)},
                         {"percent", percent ? Json(*percent) : Json()}};
  }
  return out;
}

std::string csv_text(const Json& value) {
  if (value.is_null()) return "";
  return report::csv_field(value.is_string() ? value.get<std::string>() : value.dump());
}

}  // namespace

std::string text(const Report& r) {
  const std::string rows = moved_table(r);
  const std::string only =
      only_lines("A", r.a, r.rows.only_a, r.rows.keys) + only_lines("B", r.b, r.rows.only_b, r.rows.keys);
  return side_lines(r) + setting_lines(r) + everywhere_lines(r.rows) + rows + (only.empty() ? "" : "\n" + only) + "\n" +
         summary(r) + stage_lines(r);
}

std::string csv(const Report& r) {
  std::string out;
  for (const std::string& key : r.rows.keys) out += report::csv_field(key) + ",";
  out += "column,a,b,difference,percent\n";
  const auto begin = [&](const Row& row) {
    for (const std::string& key : r.rows.keys) {
      const Value* value = find(row, key);
      out += (value == nullptr ? "" : csv_text(to_json(*value))) + ",";
    }
  };
  for (const RowPair& pair : r.rows.rows)
    for (const Change& c : pair.columns) {
      begin(r.a.table.rows[pair.a]);
      const auto percent = c.percent();
      out += fmt::format("{},{},{},{},{}\n", report::csv_field(c.column), csv_text(optional_json(c.a)),
                         csv_text(optional_json(c.b)), csv_text(difference_json(c)),
                         percent ? csv_text(Json(*percent)) : "");
    }
  const auto only = [&](const Side& side, const std::vector<std::size_t>& rows, bool is_a) {
    for (const std::size_t i : rows)
      for (const Cell& cell : side.table.rows[i]) {
        if (std::find(r.rows.keys.begin(), r.rows.keys.end(), cell.column) != r.rows.keys.end()) continue;
        begin(side.table.rows[i]);
        const std::string value = csv_text(to_json(cell.value));
        out += fmt::format("{},{},{},,\n", report::csv_field(cell.column), is_a ? value : "", is_a ? "" : value);
      }
  };
  only(r.a, r.rows.only_a, true);
  only(r.b, r.rows.only_b, false);
  return out;
}

Json to_json(const Report& r) {
  const auto side = [](const Side& s) {
    return Json{{"name", s.name}, {"kind", s.kind}, {"tsunagi", s.version.empty() ? Json() : Json(s.version)}};
  };
  Json out{{"a", side(r.a)}, {"b", side(r.b)}, {"config", r.settings ? Json::array() : Json()}};
  for (const Setting& s : r.settings.value_or(std::vector<Setting>())) {
    Json one{{"pointer", s.pointer}};
    if (s.a) one["a"] = *s.a;
    if (s.b) one["b"] = *s.b;
    out["config"].push_back(std::move(one));
  }
  out["moved"] = r.rows.moved();
  out["rows"] = Json::array();
  for (const RowPair& pair : r.rows.rows) out["rows"].push_back(pair_json(r, pair));
  out["only_a"] = Json::array();
  for (const std::size_t i : r.rows.only_a) out["only_a"].push_back(row_json(r.a.table.rows[i]));
  out["only_b"] = Json::array();
  for (const std::size_t i : r.rows.only_b) out["only_b"].push_back(row_json(r.b.table.rows[i]));
  out["columns_only_a"] = r.rows.columns_only_a;
  out["columns_only_b"] = r.rows.columns_only_b;
  out["stages_of"] = r.stages.empty() ? Json() : Json(r.stages_of);
  out["stages"] = Json::array();
  for (const StageDifference& d : r.stages) out["stages"].push_back(to_json(d));
  return out;
}

}  // namespace tsunagi::compare
