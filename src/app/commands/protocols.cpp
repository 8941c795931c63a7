// SPDX-License-Identifier: Apache-2.0
#include "app/commands/protocols.hpp"

#include <nlohmann/json.hpp>

#include "report/formats/csv.hpp"
#include "report/formats/json.hpp"
#include "report/formats/notes.hpp"
#include "report/formats/table.hpp"

namespace tsunagi::app {
namespace {

/// Reasons stand below: they are long, and most of them are several rows'.
std::string as_table(const report::Rows& rows) {
  report::Rows short_rows;
  report::Notes notes;
  for (const report::Row& row : rows.rows) {
    report::Row& out = short_rows.rows.emplace_back();
    for (const auto& [name, cell] : row.cells()) {
      if (name == "because")
        out.text("why", notes.mark(std::get<std::string>(cell)));
      else if (const auto* text = std::get_if<std::string>(&cell))
        out.text(name, *text);
      else if (const auto* bytes = std::get_if<Bytes>(&cell))
        out.bytes(name, *bytes);
      else
        out.count(name, std::get<std::int64_t>(cell));
      if (name == "at_least" && row.find("up_to") == nullptr) out.text("up_to", "");
    }
  }
  return report::rows_table(short_rows) + "\n" + notes.text();
}

}  // namespace

std::string protocols_text(const report::Rows& rows, const std::string& format) {
  if (format == "csv") return report::rows_csv(rows);
  if (format == "json") return report::rows_to_json(rows).dump(2) + "\n";
  return as_table(rows);
}

}  // namespace tsunagi::app
