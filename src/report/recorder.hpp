// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "report/accounts/accounts.hpp"
#include "report/axis_column.hpp"
#include "units/bytes.hpp"
#include "units/rate.hpp"
#include "units/time.hpp"

namespace tsunagi::report {

/// In place of a time that would say nothing of what was measured: why there is none.
struct NoTime {
  std::string why;
  bool operator==(const NoTime& other) const { return why == other.why; }
};

/// What a cell holds. A row holds integers and text only; rates are derived when printed.
using Cell = std::variant<Time, Bytes, std::int64_t, std::string, NoTime>;

/// The column of a row that says how good it is, a time or a derived rate, and why that one.
struct Headline {
  std::string column;
  std::string why;
};

/// One measured row: named cells in the order they were set.
class Row {
 public:
  Row& time(std::string_view name, Time value) { return set(name, value); }
  Row& bytes(std::string_view name, Bytes value) { return set(name, value); }
  Row& count(std::string_view name, std::int64_t value) { return set(name, value); }
  Row& text(std::string_view name, std::string value) { return set(name, std::move(value)); }
  /// A column of times that this row has no value for, and why. The reason is no part of the digest.
  Row& no_time(std::string_view name, std::string why) { return set(name, NoTime{std::move(why)}); }
  /// What comparisons of runs compare; without it "latency", else the largest rate. No part of the digest.
  Row& headline(Headline h) {
    headline_ = std::move(h);
    return *this;
  }
  const Headline& headline() const { return headline_; }
  /// What was counted while it was measured. No part of the digest.
  Row& account(Accounts a) {
    accounts_ = std::move(a);
    return *this;
  }
  /// The same, to add to.
  Accounts& beside() { return accounts_ ? *accounts_ : accounts_.emplace(); }
  /// Null: nobody said when it was.
  const Accounts* accounts() const { return accounts_ ? &*accounts_ : nullptr; }
  const std::vector<std::pair<std::string, Cell>>& cells() const { return cells_; }
  /// Null: the row has no value of that name.
  const Cell* find(std::string_view name) const {
    for (const auto& [n, c] : cells_)
      if (n == name) return std::holds_alternative<NoTime>(c) ? nullptr : &c;
    return nullptr;
  }

 private:
  Row& set(std::string_view name, Cell c) {
    cells_.emplace_back(std::string(name), std::move(c));
    return *this;
  }
  std::vector<std::pair<std::string, Cell>> cells_;
  Headline headline_;
  std::optional<Accounts> accounts_;
};

/// A rate column that writers derive: bytes cell over time cell, in bytes a second.
struct DerivedRate {
  std::string name;
  std::string bytes;
  std::string time;
};

/// A closed form that no derived rate of the table may beat: in a time t no more than `burst` and t at that rate can
/// pass in one direction. `method` limits it to the rows whose text cell "method" says so; empty: all rows.
struct Ceiling {
  std::string method;
  std::string name;
  Rate rate;
  Bytes burst = {};
  bool back = false;  // of the messages that come back
};

/// What a scenario measured.
struct Rows {
  std::deque<Row> rows;  // stable references while a scenario fills one
  std::vector<DerivedRate> rates;
  std::vector<AxisColumn> axes;      // columns whose texts are places along axes of a sweep
  std::vector<Ceiling> ceilings;     // lowest first within a method and direction
  bool to_and_fro = false;           // times are means of messages in both directions
  std::optional<Accounts> accounts;  // of the whole run; no part of the digest
};

/// Counts for how long packets occupy wires.
class WireMeter {
 public:
  virtual ~WireMeter() = default;
  /// Counts anew, within begin .. end.
  virtual void open(Time begin, Time end) = 0;
  /// What was counted; what is granted by now.
  virtual WireAccount read() const = 0;
};

/// Where scenarios put their measurements.
class Recorder {
 public:
  Row& row();
  /// Who is told of each new row how many there are with it.
  void on_row(std::function<void(std::size_t)> told) { on_row_ = std::move(told); }
  /// Says for who watches that `done` of the run's `all` iterations are over; parts that take about as long.
  void iteration(int done, int all) const {
    if (on_iteration_) on_iteration_(done, all);
  }
  /// Who is told of each iteration.
  void on_iteration(std::function<void(int done, int all)> told) { on_iteration_ = std::move(told); }
  /// From where it takes what the run counts, from now on.
  void take_accounts(std::function<Accounts()> read) { read_ = std::move(read); }
  /// What tells it of wires; it must outlive the last row.
  void take_wires(WireMeter& meter) { meter_ = &meter; }
  /// The next row's accounts say how busy wires were within begin .. end, a window that is not empty. Before any packet
  /// of it moves; the row follows when all have arrived.
  void measure_wires(Time begin, Time end);
  /// What is counted from here on, up to the call of `row`, are the next row's accounts. Where what several ranks
  /// measure overlaps nobody can say that.
  void begin_account();
  /// The run is over: takes its accounts, and asks for them no more.
  void end_accounts();
  /// Declares a derived column once for the whole table.
  void rate(std::string name, std::string bytes, std::string time) {
    rows_.rates.push_back({std::move(name), std::move(bytes), std::move(time)});
  }
  /// Declares a bound of all rates; infinite ones are dropped.
  void ceiling(Ceiling c);
  /// Declares that a row's time `time` cannot be less than its time `least`, a closed form called `name`.
  void least(std::string time, std::string least, std::string name) {
    least_.push_back({std::move(time), std::move(least), std::move(name)});
  }
  /// Declares that all times are means of messages to and fro.
  void to_and_fro() { rows_.to_and_fro = true; }
  /// Holds all rates against the ceilings, and times against what they cannot be less than. A row that beats them gets
  /// a cell "beats", which names them: then the model is wrong. Returns what is wrong, a line each.
  std::vector<std::string> judge();
  const Rows& rows() const { return rows_; }

 private:
  struct Least {
    std::string time;
    std::string least;
    std::string name;
  };
  Rows rows_;
  std::vector<Least> least_;
  std::function<void(std::size_t)> on_row_;
  std::function<void(int, int)> on_iteration_;
  std::function<Accounts()> read_;
  std::optional<Accounts> begin_;  // what was counted before the next row's
  WireMeter* meter_ = nullptr;
  bool measures_ = false;  // wires, for the next row
};

}  // namespace tsunagi::report
