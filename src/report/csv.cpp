// SPDX-License-Identifier: Apache-2.0
#include "report/csv.hpp"

#include <fmt/format.h>

#include "report/rows_accounts.hpp"
#include "report/table_layout.hpp"

namespace tsunagi::report {

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

namespace {

std::string plain(const Cell& cell) {
  if (const auto* t = std::get_if<Time>(&cell)) return fmt::format("{}", t->fs());
  if (const auto* b = std::get_if<Bytes>(&cell)) return fmt::format("{}", b->count());
  if (const auto* n = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *n);
  return csv_field(std::get<std::string>(cell));
}

std::string plain_rate(double bytes_per_second) {
  if (bytes_per_second <= 0) return "";
  return bytes_per_second < 1e6 ? fmt::format("{:.6g}", bytes_per_second) : fmt::format("{:.0f}", bytes_per_second);
}

const Cell* first_cell(const Rows& rows, const std::string& name) {
  for (const Row& row : rows.rows)
    if (const Cell* cell = row.find(name)) return cell;
  return nullptr;
}

}  // namespace

std::string csv(const Result& result) {
  const Rows accounts = result.accounts ? accounts_table(result.rows) : Rows{};
  const Rows& rows = result.accounts ? accounts : result.counters != nullptr ? *result.counters : result.rows;
  const std::vector<std::string> names = column_names(rows);
  std::string out;
  const auto add = [&out](bool& first, const std::string& cell) {
    if (!first) out += ",";
    first = false;
    out += cell;
  };
  bool first = true;
  for (const std::string& name : names) add(first, csv_field(name_with_unit(name, *first_cell(rows, name))));
  for (const DerivedRate& rate : rows.rates) add(first, csv_field(rate.name + "_bytes_per_second"));
  out += "\n";
  for (const Row& row : rows.rows) {
    first = true;
    for (const std::string& name : names) {
      const Cell* cell = row.find(name);
      add(first, cell == nullptr ? "" : plain(*cell));
    }
    for (const DerivedRate& rate : rows.rates) add(first, plain_rate(rate_of(rate, row)));
    out += "\n";
  }
  return out;
}

}  // namespace tsunagi::report
