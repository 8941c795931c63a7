// SPDX-License-Identifier: Apache-2.0
#include "report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "report/ceilings.hpp"
#include "report/rows_accounts.hpp"
#include "report/table_layout.hpp"
#include "report/window_tables.hpp"

namespace tsunagi::report {
namespace {

struct TimeUnit {
  const char* name;
  std::int64_t fs;
  int decimals;
};

constexpr TimeUnit time_units[] = {
    {"ns", 1'000'000, 3}, {"us", 1'000'000'000, 3}, {"ms", 1'000'000'000'000, 3}, {"s", 1'000'000'000'000'000, 3}};

std::size_t unit_for(Time largest) { return largest < 100_ns ? 0 : largest < 10_ms ? 1 : largest < 10_s ? 2 : 3; }

/// One unit for a whole column, so that its numbers can be compared by eye: by the largest, one finer if else the
/// smallest (but zero) lost its digits.
TimeUnit unit_for(const Rows& rows, const std::string& name) {
  Time largest;
  Time smallest = Time::max();
  for (const Row& row : rows.rows) {
    const Cell* cell = row.find(name);
    const Time* time = cell == nullptr ? nullptr : std::get_if<Time>(cell);
    if (time == nullptr) continue;
    largest = std::max(largest, *time);
    if (*time > Time::zero()) smallest = std::min(smallest, *time);
  }
  const std::size_t unit = unit_for(largest);
  return time_units[unit > 0 && smallest.fs() < time_units[unit].fs / 10 ? unit - 1 : unit];
}

std::string human(const Cell& cell, TimeUnit unit) {
  if (const auto* t = std::get_if<Time>(&cell))
    return fmt::format("{:.{}f} {}", static_cast<double>(t->fs()) / static_cast<double>(unit.fs), unit.decimals,
                       unit.name);
  if (const auto* b = std::get_if<Bytes>(&cell)) return human_bytes(*b);
  if (const auto* n = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *n);
  return std::get<std::string>(cell);
}

bool is_text(const Rows& rows, const std::string& name) {
  return std::any_of(rows.rows.begin(), rows.rows.end(), [&](const Row& row) {
    const Cell* cell = row.find(name);
    return cell != nullptr && std::holds_alternative<std::string>(*cell);
  });
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

std::string text_of(const Rows& rows) {
  if (rows.rows.empty()) return "(no rows)\n";
  const std::vector<std::string> names = column_names(rows);
  TextTable out;
  std::vector<TimeUnit> units;
  for (const std::string& name : names) {
    out.column(name, is_text(rows, name) ? Align::left : Align::right);
    units.push_back(unit_for(rows, name));
  }
  for (const DerivedRate& rate : rows.rates) out.column(rate.name, Align::right);
  for (const Row& row : rows.rows) {
    std::vector<std::string> cells;
    for (std::size_t c = 0; c < names.size(); ++c) {
      const Cell* cell = row.find(names[c]);
      cells.push_back(cell == nullptr ? "" : human(*cell, units[c]));
    }
    for (const DerivedRate& rate : rows.rates) cells.push_back(human_rate(rate_of(rate, row)));
    out.row(std::move(cells));
  }
  return out.text();
}

/// What wires counted; those that carried nothing in one line.
std::string counter_lines(const Rows& counters) {
  Rows busy;
  for (const Row& row : counters.rows)
    if (counts_anything(row)) busy.rows.push_back(row);
  const std::size_t idle = counters.rows.size() - busy.rows.size();
  std::string out = "\ncounters\n" + text_of(busy);
  if (idle > 0) out += fmt::format("{} direction{} of wires carried nothing\n", idle, idle == 1 ? "" : "s");
  return out;
}

/// Who spent how long in what, of the whole run; what rows measured in windows. Means in nanoseconds: a register access
/// stands beside a poll.
std::string account_lines(const Rows& rows) {
  if (!rows.accounts) return "";
  TextTable steps;
  steps.column("step", Align::left);
  for (const char* name : {"calls", "mean", "total"}) steps.column(name, Align::right);
  const std::vector<StepAccount> all = longest_first(rows.accounts->steps);
  for (const StepAccount& s : all)
    steps.row({s.step, fmt::format("{}", s.calls), human(s.mean(), time_units[0]),
               human(s.total, time_units[unit_for(all.front().total)])});
  TextTable copies;
  copies.column("messages", Align::left);
  for (const char* name : {"number", "bytes"}) copies.column(name, Align::right);
  const auto line = [&](const char* what, std::int64_t n, Bytes bytes) {
    copies.row({what, fmt::format("{}", n), human_bytes(bytes)});
  };
  line("sent", rows.accounts->messages, rows.accounts->payload);
  line("copied by cores", rows.accounts->by_core.copies, rows.accounts->by_core.bytes);
  line("copied by DMA", rows.accounts->by_dma.copies, rows.accounts->by_dma.bytes);
  std::string out = "\naccounts\n" + (all.empty() ? "" : steps.text() + "\n") + copies.text();
  for (const Rows& table : window_tables(rows)) out += "\n" + text_of(table);
  return out;
}

}  // namespace

std::string table(const Result& result) {
  const std::string text = text_of(result.rows) + ceiling_lines(result.rows) +
                           (result.counters == nullptr ? "" : counter_lines(*result.counters)) +
                           (result.accounts ? account_lines(result.rows) : "");
  return result.title.empty() ? text : result.title + "\n\n" + text;
}

}  // namespace tsunagi::report
