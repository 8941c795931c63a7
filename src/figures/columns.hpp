// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "figures/expression.hpp"

namespace tsunagi::figures {

/// The columns that an expression may name: those of real tables, or, in a dry evaluation that only
/// checks an expression, any column of the known runs, of one row that holds 1.
class Columns {
 public:
  explicit Columns(const Tables& tables) : tables_(&tables) {}
  explicit Columns(const std::vector<std::string>& run_names) : names_(run_names) {}

  bool dry() const { return tables_ == nullptr; }
  /// Number of rows; ExpressionError for an unknown run.
  std::size_t rows(const std::string& run) const;
  /// A cell in base units (seconds, bytes, bytes a second, count). ExpressionError for an unknown
  /// column or a text, NoValue where this row has no such cell.
  double number(const std::string& run, const std::string& column, std::size_t row) const;
  /// What a run or, if `row` says which, a row of it counted. NoValue if it has no accounts.
  const report::Accounts& accounts(const std::string& run, std::optional<std::size_t> row) const;
  /// A text cell; errors as for `number`.
  std::string text(const std::string& run, const std::string& column, std::size_t row) const;

 private:
  const report::Rows& table(const std::string& run) const;
  [[noreturn]] static void refuse_column(const report::Rows& rows, const std::string& run, const std::string& column);

  const Tables* tables_ = nullptr;
  std::vector<std::string> names_;
};

}  // namespace tsunagi::figures
