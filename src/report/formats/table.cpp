// SPDX-License-Identifier: Apache-2.0
#include "report/formats/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "report/accounts/rows_accounts.hpp"
#include "report/formats/ceilings.hpp"
#include "report/formats/column_text.hpp"
#include "report/formats/table_layout.hpp"
#include "report/formats/window_tables.hpp"
#include "units/parse.hpp"

namespace tsunagi::report {
namespace {

/// The cells of a column; nullptr where a row has none.
using Cells = std::vector<const Cell*>;

Cells cells_of(const Rows& rows, const std::string& name) {
  Cells out;
  for (const Row& row : rows.rows) out.push_back(row.find(name));
  return out;
}

template <class T>
bool all_are(const Cells& cells) {
  return std::all_of(cells.begin(), cells.end(),
                     [](const Cell* c) { return c == nullptr || std::holds_alternative<T>(*c); });
}

template <class T>
std::vector<std::optional<T>> as(const Cells& cells) {
  std::vector<std::optional<T>> out;
  for (const Cell* c : cells) out.push_back(c == nullptr ? std::nullopt : std::optional<T>(std::get<T>(*c)));
  return out;
}

/// Sizes that a config says name the points of a table and stand there as they do in configs; other amounts are
/// results.
bool is_label(const std::string& name) {
  return name == "size" || name == "window" || name == "at_least" || name == "up_to";
}

constexpr std::string_view ppm = "_ppm";

bool is_share(const std::string& name) {
  return name.size() > ppm.size() && name.compare(name.size() - ppm.size(), ppm.size(), ppm) == 0;
}

std::string text_of(const Cell& cell) {
  if (const auto* b = std::get_if<Bytes>(&cell)) return human_bytes(*b);
  if (const auto* t = std::get_if<Time>(&cell)) return to_string(*t);
  if (const auto* n = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *n);
  return std::get<std::string>(cell);
}

std::vector<std::string> values_of(const Rows& rows, const std::string& name) {
  const Cells cells = cells_of(rows, name);
  if (all_are<Time>(cells)) return times_in_one_unit(as<Time>(cells));
  if (all_are<Bytes>(cells) && !is_label(name)) return bytes_in_one_unit(as<Bytes>(cells));
  if (all_are<std::int64_t>(cells) && is_share(name)) return shares_in_percent(as<std::int64_t>(cells));
  std::vector<std::string> out;
  for (const Cell* c : cells) out.push_back(c == nullptr ? "" : text_of(*c));
  return out;
}

/// Where a row's cells say why there is no value.
const NoTime* reason_of(const Row& row, const std::string& name) {
  for (const auto& [n, cell] : row.cells())
    if (const auto* none = std::get_if<NoTime>(&cell); none != nullptr && n == name) return none;
  return nullptr;
}

std::vector<std::string> texts_of(const Rows& rows, const std::string& name) {
  std::vector<std::string> out = values_of(rows, name);
  for (std::size_t r = 0; r < out.size(); ++r)
    if (out[r].empty() && reason_of(rows.rows[r], name) != nullptr) out[r] = "-";
  return out;
}

std::vector<std::string> texts_of(const Rows& rows, const DerivedRate& rate) {
  std::vector<double> out;
  for (const Row& row : rows.rows) out.push_back(rate_of(rate, row));
  return rates_in_one_unit(out);
}

/// Texts stand left, but for those of axes of numbers.
Align align_of(const Rows& rows, const std::string& name) {
  const auto axis =
      std::find_if(rows.axes.begin(), rows.axes.end(), [&](const AxisColumn& a) { return a.name == name; });
  const auto is_text = [&](const Cell* cell) {
    const auto* text = cell == nullptr ? nullptr : std::get_if<std::string>(cell);
    return text != nullptr && (axis == rows.axes.end() || std::holds_alternative<std::string>(axis->value(*text)));
  };
  const Cells cells = cells_of(rows, name);
  return std::any_of(cells.begin(), cells.end(), is_text) ? Align::left : Align::right;
}

/// "load" for "load_ppm", whose cells say what they are of, unless another column is called so.
std::string heading_of(const std::vector<std::string>& names, const std::string& name) {
  const std::string bare = is_share(name) ? name.substr(0, name.size() - ppm.size()) : name;
  return std::find(names.begin(), names.end(), bare) == names.end() ? bare : name;
}

/// A row that says anything but zeros and names.
bool counts_anything(const Row& row) {
  return std::any_of(row.cells().begin(), row.cells().end(), [](const auto& named) {
    const Cell& cell = named.second;
    if (const auto* t = std::get_if<Time>(&cell)) return *t != Time::zero();
    if (const auto* b = std::get_if<Bytes>(&cell)) return *b != Bytes::zero();
    const auto* n = std::get_if<std::int64_t>(&cell);
    return n != nullptr && *n != 0;
  });
}

}  // namespace

std::string rows_table(const Rows& rows) {
  if (rows.rows.empty()) return "(no rows)\n";
  TextTable out;
  std::vector<std::vector<std::string>> columns;
  const std::vector<std::string> names = column_names(rows);
  for (const std::string& name : names) {
    out.column(heading_of(names, name), align_of(rows, name));
    columns.push_back(texts_of(rows, name));
  }
  for (const DerivedRate& rate : rows.rates) {
    out.column(rate.name, Align::right);
    columns.push_back(texts_of(rows, rate));
  }
  for (std::size_t r = 0; r < rows.rows.size(); ++r) {
    std::vector<std::string> cells;
    for (auto& column : columns) cells.push_back(std::move(column[r]));
    out.row(std::move(cells));
  }
  return out.text();
}

namespace {

/// Why there are no values where "-" stands, a line each reason.
std::string reason_lines(const Rows& rows) {
  std::map<std::string, std::vector<std::string>> names;  // by reason
  std::vector<std::string> reasons;
  for (const std::string& name : column_names(rows))
    for (const Row& row : rows.rows)
      if (const NoTime* none = reason_of(row, name)) {
        std::vector<std::string>& its = names[none->why];
        if (its.empty()) reasons.push_back(none->why);
        if (its.empty() || its.back() != name) its.push_back(name);
      }
  std::string out;
  for (const std::string& why : reasons) out += fmt::format("- {}: {}\n", fmt::join(names[why], ", "), why);
  return out;
}

/// What wires counted; those that carried nothing in one line.
std::string counter_lines(const Rows& counters) {
  Rows busy;
  for (const Row& row : counters.rows)
    if (counts_anything(row)) busy.rows.push_back(row);
  const std::size_t idle = counters.rows.size() - busy.rows.size();
  std::string out = "\ncounters\n" + rows_table(busy);
  if (idle > 0) out += fmt::format("{} direction{} of wires carried nothing\n", idle, idle == 1 ? "" : "s");
  return out;
}

/// Steps of the library, the longest first.
std::string step_lines(const std::vector<StepAccount>& steps) {
  std::vector<std::optional<Time>> means, totals;
  for (const StepAccount& s : steps) {
    means.push_back(s.mean());
    totals.push_back(s.total);
  }
  const std::vector<std::string> mean = times_in_one_unit(means), total = times_in_one_unit(totals);
  TextTable out;
  out.column("step", Align::left);
  for (const char* name : {"calls", "mean", "total"}) out.column(name, Align::right);
  for (std::size_t i = 0; i < steps.size(); ++i)
    out.row({steps[i].step, fmt::format("{}", steps[i].calls), mean[i], total[i]});
  return out.text();
}

/// Who spent how long in what, of the whole run; what rows measured in windows.
std::string account_lines(const Rows& rows) {
  if (!rows.accounts) return "";
  const Accounts& a = *rows.accounts;
  Rows copies;
  const auto line = [&](const char* what, std::int64_t n, Bytes bytes) {
    copies.rows.emplace_back().text("messages", what).count("number", n).bytes("bytes", bytes);
  };
  line("sent", a.messages, a.payload);
  line("copied by cores", a.by_core.copies, a.by_core.bytes);
  line("copied by DMA", a.by_dma.copies, a.by_dma.bytes);
  std::string out =
      "\naccounts\n" + (a.steps.empty() ? "" : step_lines(longest_first(a.steps)) + "\n") + rows_table(copies);
  for (const Rows& table : window_tables(rows)) out += "\n" + rows_table(table);
  return out;
}

}  // namespace

std::string table(const Result& result) {
  const std::string text = rows_table(result.rows) + reason_lines(result.rows) + ceiling_lines(result.rows) +
                           (result.counters == nullptr ? "" : counter_lines(*result.counters)) +
                           (result.accounts ? account_lines(result.rows) : "");
  return result.title.empty() ? text : result.title + "\n\n" + text;
}

}  // namespace tsunagi::report
