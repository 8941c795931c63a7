// SPDX-License-Identifier: Apache-2.0
#include "report/formats/csv.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/accounts/rows_accounts.hpp"

namespace tsunagi::report {

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string csv_value(const PlainValue& value) {
  if (std::holds_alternative<std::nullptr_t>(value)) return "";
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr ? csv_field(*text) : to_json(value).dump();
}

std::string csv_names(const std::vector<Column>& columns) {
  std::string out;
  for (const Column& column : columns) out += (out.empty() ? "" : ",") + csv_field(column.key);
  return out;
}

std::string csv_values(const std::vector<Column>& columns, const std::vector<Measured>& values) {
  std::string out;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto it =
        std::find_if(values.begin(), values.end(), [&](const Measured& m) { return m.key == columns[i].key; });
    out += (i == 0 ? "" : ",") + (it == values.end() ? "" : csv_value(it->value));
  }
  return out;
}

std::string rows_csv(const Rows& rows) {
  const std::vector<Column> all = columns(rows);
  std::string out = csv_names(all) + "\n";
  for (const Row& row : rows.rows) out += csv_values(all, measured(rows, row)) + "\n";
  return out;
}

std::string csv(const Result& result) {
  if (result.accounts) return rows_csv(accounts_table(result.rows));
  return rows_csv(result.counters != nullptr ? *result.counters : result.rows);
}

}  // namespace tsunagi::report
