// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/recorder.hpp"

namespace tsunagi::report {

/// Terminal columns of UTF-8 text that holds no wide or combining characters.
std::size_t width(const std::string& text);

/// How a cell is aligned in a text table.
enum class Align { left, right };

/// A plain text table: columns as wide as their widest cell, two spaces between them.
class TextTable {
 public:
  /// Adds a column; all columns before the first row.
  void column(std::string heading, Align align);
  /// Adds a row; throws std::logic_error unless it has a cell a column.
  void row(std::vector<std::string> cells);
  /// The table, a newline after each line, no trailing blanks.
  std::string text() const;

 private:
  struct Column {
    std::string heading;
    Align align;
  };
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Names of the measured columns in order of first appearance over all rows.
std::vector<std::string> column_names(const Rows& rows);

/// Bytes a second of a derived column in one row; 0 when a cell is missing or the time is not positive.
double rate_of(const DerivedRate& rate, const Row& row);

/// Name of a column with its unit: "_fs" for times, "_bytes" for amounts unless the name says so, else bare.
std::string name_with_unit(const std::string& name, const Cell& cell);
/// The same of a unit; empty: bare.
std::string with_unit(const std::string& name, const std::string& unit);

/// "8 B", "4 KiB", "1 MiB": a binary prefix only where it divides exactly.
std::string human_bytes(Bytes value);

/// "3.53 GB/s": decimal prefixes; "-" for 0.
std::string human_rate(double bytes_per_second);

}  // namespace tsunagi::report
