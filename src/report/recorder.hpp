// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "units/bytes.hpp"
#include "units/rate.hpp"
#include "units/time.hpp"

namespace tsunagi::report {

/// What a cell holds. A row holds integers and text only; rates are derived when printed.
using Cell = std::variant<Time, Bytes, std::int64_t, std::string>;

/// One measured row: named cells in the order they were set.
class Row {
 public:
  Row& time(std::string_view name, Time value) { return set(name, value); }
  Row& bytes(std::string_view name, Bytes value) { return set(name, value); }
  Row& count(std::string_view name, std::int64_t value) { return set(name, value); }
  Row& text(std::string_view name, std::string value) { return set(name, std::move(value)); }
  const std::vector<std::pair<std::string, Cell>>& cells() const { return cells_; }
  const Cell* find(std::string_view name) const {
    for (const auto& [n, c] : cells_)
      if (n == name) return &c;
    return nullptr;
  }

 private:
  Row& set(std::string_view name, Cell c) {
    cells_.emplace_back(std::string(name), std::move(c));
    return *this;
  }
  std::vector<std::pair<std::string, Cell>> cells_;
};

/// A rate column that writers derive: bytes cell over time cell, in bytes a second.
struct DerivedRate {
  std::string name;
  std::string bytes;
  std::string time;
};

/// A closed form that no derived rate of the table may beat. `method` limits it to the rows whose
/// text cell "method" says so; empty: all rows.
struct Ceiling {
  std::string method;
  std::string name;
  Rate rate;
};

/// What a scenario measured.
struct Rows {
  std::deque<Row> rows;  // stable references while a scenario fills one
  std::vector<DerivedRate> rates;
  std::vector<Ceiling> ceilings;  // lowest first within a method
};

/// Where scenarios put their measurements.
class Recorder {
 public:
  Row& row() { return rows_.rows.emplace_back(); }
  /// Declares a derived column once for the whole table.
  void rate(std::string name, std::string bytes, std::string time) {
    rows_.rates.push_back({std::move(name), std::move(bytes), std::move(time)});
  }
  /// Declares a bound of all rates; infinite ones are dropped.
  void ceiling(Ceiling c);
  const Rows& rows() const { return rows_; }

 private:
  Rows rows_;
};

}  // namespace tsunagi::report
