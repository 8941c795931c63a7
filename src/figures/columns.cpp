// SPDX-License-Identifier: Apache-2.0
#include "figures/columns.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "config/suggest.hpp"
#include "report/formats/table_layout.hpp"

namespace tsunagi::figures {

std::size_t Columns::rows(const std::string& run) const {
  if (!dry()) return table(run).rows.size();
  if (std::find(names_.begin(), names_.end(), run) == names_.end())
    throw ExpressionError(config::detail::unknown("run", run, names_));
  return 1;
}

const report::Rows& Columns::table(const std::string& run) const {
  const auto found = tables_->find(run);
  if (found != tables_->end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [name, rows] : *tables_) names.push_back(name);
  throw ExpressionError(config::detail::unknown("run", run, names));
}

void Columns::refuse_column(const report::Rows& rows, const std::string& run, const std::string& column) {
  std::vector<std::string> names = report::column_names(rows);
  for (const report::DerivedRate& rate : rows.rates) names.push_back(rate.name);
  throw ExpressionError(fmt::format("run \"{}\": {}", run, config::detail::unknown("column", column, names)));
}

double Columns::number(const std::string& run, const std::string& column, std::size_t row) const {
  if (dry()) return 1;
  const report::Rows& all = table(run);
  for (const report::DerivedRate& rate : all.rates)
    if (rate.name == column) return report::rate_of(rate, all.rows[row]);
  const std::vector<std::string> names = report::column_names(all);
  if (std::find(names.begin(), names.end(), column) == names.end()) refuse_column(all, run, column);
  const report::Cell* cell = all.rows[row].find(column);
  if (cell == nullptr) throw NoValue(fmt::format("row {} of run \"{}\" has no \"{}\"", row + 1, run, column));
  if (const auto* t = std::get_if<Time>(cell)) return static_cast<double>(t->fs()) / 1e15;
  if (const auto* b = std::get_if<Bytes>(cell)) return static_cast<double>(b->count());
  if (const auto* n = std::get_if<std::int64_t>(cell)) return static_cast<double>(*n);
  throw ExpressionError(fmt::format("{}.{} is a text; it has no value", run, column));
}

const report::Accounts& Columns::accounts(const std::string& run, std::optional<std::size_t> row) const {
  const report::Rows& all = table(run);
  if (!all.accounts) throw NoValue(fmt::format("run \"{}\" has no accounts", run));
  if (!row) return *all.accounts;
  const report::Accounts* its = all.rows[*row].accounts();
  if (its == nullptr) throw NoValue(fmt::format("row {} of run \"{}\" has no accounts of its own", *row + 1, run));
  return *its;
}

std::string Columns::text(const std::string& run, const std::string& column, std::size_t row) const {
  if (dry()) return "";
  const report::Rows& all = table(run);
  const report::Cell* cell = all.rows[row].find(column);
  if (cell == nullptr) {
    const std::vector<std::string> names = report::column_names(all);
    if (std::find(names.begin(), names.end(), column) == names.end()) refuse_column(all, run, column);
    return "";
  }
  const auto* text = std::get_if<std::string>(cell);
  if (text == nullptr) throw ExpressionError(fmt::format("{}.{} is no text; compare it with a number", run, column));
  return *text;
}

}  // namespace tsunagi::figures
