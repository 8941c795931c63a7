// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "report/recorder.hpp"

namespace tsunagi::plot {

/// What a column holds, in base units: bytes, seconds, bytes a second, metres, percent, plain numbers; or texts.
enum class Unit { bytes, time, rate, length, percent, number, text };

/// A column of a table, a value a row. A missing number is not a number (NaN), a missing text empty.
struct Column {
  std::string name;
  Unit unit = Unit::number;
  std::vector<double> numbers;     ///< unless texts
  std::vector<std::string> texts;  ///< only of texts

  std::size_t rows() const { return unit == Unit::text ? texts.size() : numbers.size(); }
  /// The cell as a person would read it: "4 KiB", "16", "pio"; `more` digits more than that takes.
  std::string text(std::size_t row, int more = 0) const;
  /// What is the same in two rows only if their values are.
  std::string key(std::size_t row) const;
  /// The texts of all rows, with as many digits more as tell different values apart.
  std::vector<std::string> labels() const;
};

using Table = std::vector<Column>;

/// The column of that name, or nullptr.
const Column* find(const Table& table, const std::string& name);

/// The measured and the derived columns of a run, in the order in which writers print them.
Table table_of(const report::Rows& rows);

/// A column of texts; of numbers if all of them are numbers, or quantities ("4 KiB", "120 ns", "16 GB/s", "30 %") of
/// one kind. Whole numbers that only a text holds exactly (2^53 + 1) stay texts.
Column column_of(const std::string& name, const std::vector<std::string>& texts);

}  // namespace tsunagi::plot
