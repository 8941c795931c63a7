// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "compare/table.hpp"

namespace tsunagi::compare {

/// A column of two rows that belong together.
struct Change {
  std::string column;
  std::optional<Value> a;  ///< nothing: this row has no such cell, others of its table have
  std::optional<Value> b;

  bool moved() const { return a != b; }
  /// How much more b is, in per cent of a; nothing for texts, or of 0.
  std::optional<double> percent() const;
};

/// Two rows that belong together.
struct RowPair {
  std::size_t a = 0;  ///< index in its table
  std::size_t b = 0;
  std::vector<Change> columns;  ///< that both tables have, without the keys
  bool moved() const;
};

/// What differs between two tables.
struct RowsDifference {
  std::vector<std::string> keys;  ///< columns by which rows were matched; none: by their order
  std::vector<RowPair> rows;      ///< in the order of a
  std::vector<std::size_t> only_a;
  std::vector<std::size_t> only_b;
  std::vector<std::string> columns_only_a;  ///< not compared
  std::vector<std::string> columns_only_b;

  bool moved() const;
  std::size_t moved_rows() const;
};

/// Matches rows and compares them. Keys are a sweep's axes, and as few of the columns, from the left, as tell the rows
/// of either table apart: a table's inputs stand before what it measured. Times and rates are inputs only where nothing
/// else tells rows apart or fewer would match: those of axes. So rows still belong together when an input changed in
/// all of them alike, which then is a change as any other. Where rows cannot be told apart their order counts. Throws
/// std::invalid_argument, with a sentence for the user, if only columns that one table lacks tell the other's rows
/// apart.
RowsDifference difference(const Table& a, const Table& b);

/// The key of a row for people: "method pio, size 8 B"; empty if there is none.
std::string name_of(const Row& row, const std::vector<std::string>& keys);

/// What a row is of, or a count, that changed in all rows in the same way: told once.
struct Everywhere {
  std::string column;
  Value a;
  Value b;
};
std::vector<Everywhere> changed_everywhere(const RowsDifference& difference);

/// What moved most, in per cent: indices of the pair and its column. Times and rates come first, what has no per cent
/// last. Nothing if nothing moved.
struct Largest {
  std::size_t pair = 0;
  std::size_t column = 0;
  bool is_measured = false;  ///< a time or a rate
};
std::optional<Largest> largest(const RowsDifference& difference);

}  // namespace tsunagi::compare
