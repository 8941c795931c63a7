// SPDX-License-Identifier: Apache-2.0
#include "app/commands/matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/commands/matrix_cells.hpp"
#include "report/formats/csv.hpp"
#include "report/formats/notes.hpp"
#include "report/formats/table_layout.hpp"

namespace tsunagi::app {
namespace {

const std::string no_example = "nothing that comes with the program shows it";

std::string why(const Answer& answer) { return answer.why.empty() ? no_example : answer.why; }

std::string as_table(const Matrix& m) {
  std::string out;
  report::Notes notes;
  for (const MatrixPart& part : m.parts) {
    report::TextTable table;
    table.column(part.name, report::Align::left);
    for (const std::string& library : m.libraries) table.column(library, report::Align::left);
    for (std::size_t r = 0; r < part.rows.size(); ++r) {
      std::vector<std::string> cells{part.rows[r]};
      for (std::size_t l = 0; l < m.libraries.size(); ++l) {
        const Answer& answer = part.answers[r * m.libraries.size() + l];
        cells.push_back(answer.runs ? "yes" : notes.mark(why(answer)));
      }
      table.row(std::move(cells));
    }
    out += table.text() + "\n";
  }
  report::TextTable needs;
  needs.column("library", report::Align::left);
  needs.column("devices of all machines above that it runs on", report::Align::left);
  for (std::size_t l = 0; l < m.libraries.size(); ++l)
    needs.row({m.libraries[l], fmt::format("{}", fmt::join(m.devices[l], ", "))});
  return out + needs.text() + "\n" + notes.text();
}

std::string as_csv(const Matrix& m) {
  std::string out = "what,name,library,runs,why\n";
  for (const MatrixPart& part : m.parts)
    for (std::size_t i = 0; i < part.answers.size(); ++i) {
      const Answer& answer = part.answers[i];
      out += fmt::format("{},{},{},{},{}\n", part.name, part.rows[i / m.libraries.size()],
                         m.libraries[i % m.libraries.size()], answer.runs ? "yes" : "no",
                         answer.runs ? "" : report::csv_field(why(answer)));
    }
  return out;
}

std::string as_json(const Matrix& m) {
  nlohmann::ordered_json out;
  for (const MatrixPart& part : m.parts)
    for (std::size_t i = 0; i < part.answers.size(); ++i) {
      const Answer& answer = part.answers[i];
      nlohmann::ordered_json cell{{"runs", answer.runs}};
      if (!answer.runs) cell["why"] = why(answer);
      out[part.name][part.rows[i / m.libraries.size()]][m.libraries[i % m.libraries.size()]] = std::move(cell);
    }
  for (std::size_t l = 0; l < m.libraries.size(); ++l) out["devices"][m.libraries[l]] = m.devices[l];
  return out.dump(2) + "\n";
}

}  // namespace

std::optional<std::string> matrix(const std::filesystem::path& configs, const std::string& format) {
  const std::optional<Matrix> found = find_matrix(configs, kind_names("library"));
  if (!found) return std::nullopt;
  if (format == "csv") return as_csv(*found);
  if (format == "json") return as_json(*found);
  return as_table(*found);
}

}  // namespace tsunagi::app
