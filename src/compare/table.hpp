// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tsunagi::compare {

/// What a cell holds, as `run --format json` writes it: the column's name says the unit ("latency_fs").
using Value = std::variant<std::int64_t, double, std::string>;

struct Cell {
  std::string column;
  Value value;
};
using Row = std::vector<Cell>;

/// Rows of a result.
struct Table {
  std::vector<Row> rows;
  std::vector<std::string> axes;  ///< columns that a sweep's axes are, if it is one's; the first of each row
};

/// The cell of that column; null: the row has none.
const Value* find(const Row& row, const std::string& column);

/// The columns of a table in the order in which rows have them first.
std::vector<std::string> columns(const Table& table);

/// Rows as `run --format json` has them. Throws std::runtime_error, with the pointer below "/rows", for what is none.
Table table_of(const nlohmann::ordered_json& rows);

/// The number that a value is, whole or not. Throws std::bad_variant_access for a text.
double number_of(const Value& value);

/// A value as JSON has it.
nlohmann::ordered_json to_json(const Value& value);

/// A column without the unit behind its name: "latency" of "latency_fs".
std::string bare_name(const std::string& column);
/// Whether a column is of times or rates.
bool is_time_or_rate(const std::string& column);
/// A value of a column for people, a time exactly: "8 B", "900.711573 ns", "3.53 GB/s".
std::string human(const std::string& column, const Value& value);

/// Two values of a column and their difference for people, times in one unit with three decimals; "-" for what is not
/// there.
struct HumanChange {
  std::string a;
  std::string b;
  std::string difference;
};
HumanChange human(const std::string& column, const std::optional<Value>& a, const std::optional<Value>& b);

/// How much more b is: whole of whole numbers if there is such a number; nothing for texts.
std::optional<Value> difference(const Value& a, const Value& b);

/// "+4.20 %"; "-" if `percent` is nothing.
std::string percent_text(std::optional<double> percent);

}  // namespace tsunagi::compare
