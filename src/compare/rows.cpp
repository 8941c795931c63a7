// SPDX-License-Identifier: Apache-2.0
#include "compare/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

namespace tsunagi::compare {
namespace {

using Key = std::vector<std::optional<Value>>;
using Columns = std::vector<std::string>;

bool has(const Columns& all, const std::string& column) {
  return std::find(all.begin(), all.end(), column) != all.end();
}

std::optional<Value> cell(const Row& row, const std::string& column) {
  const Value* value = find(row, column);
  return value == nullptr ? std::nullopt : std::optional<Value>(*value);
}

Key key_of(const Row& row, const Columns& keys) {
  Key out;
  for (const std::string& column : keys) out.push_back(cell(row, column));
  return out;
}

std::set<Key> distinct(const Table& table, const Columns& keys) {
  std::set<Key> out;
  for (const Row& row : table.rows) out.insert(key_of(row, keys));
  return out;
}

/// Times and rates are measured, but for those of axes, of which the two tables have some in common.
bool is_measured(const std::string& column, const Table& table) {
  const auto is_fraction = [&](const Row& row) {
    const Value* value = find(row, column);
    return value != nullptr && std::holds_alternative<double>(*value);
  };
  return is_time_or_rate(column) || std::any_of(table.rows.begin(), table.rows.end(), is_fraction);
}

bool have_common_values(const std::string& column, const Table& a, const Table& b) {
  const std::set<Key> of_a = distinct(a, {column});
  const std::set<Key> of_b = distinct(b, {column});
  return std::any_of(of_a.begin(), of_a.end(), [&](const Key& k) { return of_b.count(k) != 0; });
}

/// Columns that tell rows apart, as few as possible from the left.
class Keys {
 public:
  Keys(const Table& a, const Table& b)
      : a_(a), b_(b), apart_a_(distinct(a, {}).size()), apart_b_(distinct(b, {}).size()) {}

  /// Adds a column if it tells any more rows apart.
  void offer(const std::string& column) {
    keys_.push_back(column);
    const std::size_t now_a = distinct(a_, keys_).size();
    const std::size_t now_b = distinct(b_, keys_).size();
    if (now_a == apart_a_ && now_b == apart_b_) keys_.pop_back();
    apart_a_ = now_a;
    apart_b_ = now_b;
  }
  /// Adds it whether or not.
  void add(const std::string& column) {
    keys_.push_back(column);
    apart_a_ = distinct(a_, keys_).size();
    apart_b_ = distinct(b_, keys_).size();
  }
  bool tell_apart(const Table& table) const { return (&table == &a_ ? apart_a_ : apart_b_) == table.rows.size(); }
  bool tell_all_apart() const { return tell_apart(a_) && tell_apart(b_); }
  const Columns& columns() const { return keys_; }

 private:
  const Table& a_;
  const Table& b_;
  Columns keys_;
  std::size_t apart_a_;  // rows that the keys tell apart
  std::size_t apart_b_;
};

/// Throws if inputs that only `table` has are needed to tell its rows apart: axes, what stands before all that the
/// other has, too.
void check_told_apart(const Table& table, const Keys& inputs, const Columns& others) {
  if (inputs.tell_apart(table)) return;
  bool leading = true;
  for (const std::string& column : columns(table)) {
    leading = leading && !has(others, column);
    if (has(others, column) || !(leading || has(table.axes, column)) || distinct(table, {column}).size() < 2) continue;
    throw std::invalid_argument(fmt::format("the rows of one differ in \"{}\", which the other does not have", column));
  }
}

/// Keys from the left: axes, inputs, and, with `times`, also times and rates, as those of axes are.
Keys keys_with(const Table& a, const Table& b, bool times) {
  const Columns of_b = columns(b);
  Keys keys(a, b);
  for (const std::string& column : columns(a)) {
    if (!has(of_b, column)) continue;
    if (has(a.axes, column))
      keys.add(column);
    else if (!keys.tell_all_apart() && (!is_measured(column, a) || (times && have_common_values(column, a, b))))
      keys.offer(column);
  }
  return keys;
}

std::size_t matches(const Table& a, const Table& b, const Columns& keys) {
  std::map<Key, std::size_t> waiting;
  for (const Row& row : b.rows) ++waiting[key_of(row, keys)];
  std::size_t out = 0;
  for (const Row& row : a.rows)
    if (std::size_t& left = waiting[key_of(row, keys)]; left > 0) {
      --left;
      ++out;
    }
  return out;
}

Columns keys_of(const Table& a, const Table& b) {
  const Keys inputs = keys_with(a, b, false);
  check_told_apart(a, inputs, columns(b));
  check_told_apart(b, inputs, columns(a));
  const Keys all = keys_with(a, b, true);
  const auto score = [&](const Keys& keys) { return std::tuple(keys.tell_all_apart(), matches(a, b, keys.columns())); };
  return (score(all) > score(inputs) ? all : inputs).columns();
}

}  // namespace

std::optional<double> Change::percent() const {
  const bool numbers = a && b && !std::holds_alternative<std::string>(*a) && !std::holds_alternative<std::string>(*b);
  if (!numbers || number_of(*a) == 0) return std::nullopt;
  return (number_of(*b) - number_of(*a)) / std::abs(number_of(*a)) * 100;
}

bool RowPair::moved() const {
  return std::any_of(columns.begin(), columns.end(), [](const Change& c) { return c.moved(); });
}

std::size_t RowsDifference::moved_rows() const {
  return static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), [](const RowPair& p) { return p.moved(); }));
}

bool RowsDifference::moved() const { return !only_a.empty() || !only_b.empty() || moved_rows() > 0; }

RowsDifference difference(const Table& a, const Table& b) {
  RowsDifference out;
  const Columns of_a = columns(a);
  const Columns of_b = columns(b);
  for (const std::string& column : of_a)
    if (!has(of_b, column)) out.columns_only_a.push_back(column);
  for (const std::string& column : of_b)
    if (!has(of_a, column)) out.columns_only_b.push_back(column);
  const bool comparable = out.columns_only_a.size() < of_a.size();
  if (comparable) out.keys = keys_of(a, b);
  std::map<Key, std::vector<std::size_t>> waiting;  // of b, the first last
  for (std::size_t i = b.rows.size(); i-- > 0;) waiting[key_of(b.rows[i], out.keys)].push_back(i);
  std::vector<bool> taken(b.rows.size());
  for (std::size_t i = 0; i < a.rows.size(); ++i) {
    std::vector<std::size_t>& its = waiting[key_of(a.rows[i], out.keys)];
    if (!comparable || its.empty()) {
      out.only_a.push_back(i);
      continue;
    }
    RowPair& pair = out.rows.emplace_back();
    pair.a = i;
    pair.b = its.back();
    its.pop_back();
    taken[pair.b] = true;
    for (const std::string& column : of_a)
      if (has(of_b, column) && !has(out.keys, column))
        pair.columns.push_back({column, cell(a.rows[i], column), cell(b.rows[pair.b], column)});
  }
  for (std::size_t i = 0; i < b.rows.size(); ++i)
    if (!taken[i]) out.only_b.push_back(i);
  return out;
}

std::string name_of(const Row& row, const std::vector<std::string>& keys) {
  std::string out;
  for (const std::string& column : keys)
    if (const Value* value = find(row, column))
      out += fmt::format("{}{} {}", out.empty() ? "" : ", ", bare_name(column), human(column, *value));
  return out;
}

std::vector<Everywhere> changed_everywhere(const RowsDifference& difference) {
  std::vector<Everywhere> out;
  if (difference.rows.size() < 2) return out;
  const std::vector<Change>& first = difference.rows.front().columns;
  for (std::size_t c = 0; c < first.size(); ++c) {
    const auto is_same = [&](const RowPair& p) { return p.columns[c].a == first[c].a && p.columns[c].b == first[c].b; };
    if (first[c].moved() && first[c].a && first[c].b && !is_time_or_rate(first[c].column) &&
        std::all_of(difference.rows.begin(), difference.rows.end(), is_same))
      out.push_back({first[c].column, *first[c].a, *first[c].b});
  }
  return out;
}

std::optional<Largest> largest(const RowsDifference& difference) {
  std::optional<Largest> out;
  std::pair<bool, double> most(false, -1);
  for (std::size_t p = 0; p < difference.rows.size(); ++p)
    for (std::size_t c = 0; c < difference.rows[p].columns.size(); ++c) {
      const Change& change = difference.rows[p].columns[c];
      const std::pair size(is_time_or_rate(change.column), std::abs(change.percent().value_or(0)));
      if (!change.moved() || size <= most) continue;
      most = size;
      out = Largest{p, c, size.first};
    }
  return out;
}

}  // namespace tsunagi::compare
