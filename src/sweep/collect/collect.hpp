// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "report/measured.hpp"
#include "sweep/results/run.hpp"

namespace tsunagi::sweep {

/// What was collected in all.
struct Summary {
  std::size_t ok = 0;
  std::size_t failed = 0;
  std::size_t missing = 0;  ///< not simulated yet, or damaged
  /// 32 hexadecimal digits over all points in the order of the plan, each with its id, status and rows. The same
  /// whatever the order, the number of jobs and the shards in which they were run.
  std::string digest;
  std::vector<std::string> idle;  ///< axes along which no row changes, if all points are ok
};

/// Takes results in the order of the plan and makes something of them.
class Collector {
 public:
  virtual ~Collector() = default;
  /// Whether `begin` is to be told of what is measured; it costs another reading of all results.
  virtual bool wants_measures() const { return false; }
  /// Called once before all, with the columns that any result has.
  virtual void begin(const std::vector<report::Column>&) {}
  /// `position`: in the plan, from 0. Equal points come more than once.
  virtual void take(std::size_t position, const Point& point, const Result& result) = 0;
  /// Called once behind all.
  virtual void end(const Summary&) {}
};

/// A point for people: "lanes=4 seed=1 (ID)".
std::string name_of(const Point& point);

/// Told of points that failed or have no result: a line each.
using Complaint = std::function<void(const std::string&)>;

/// Hands all results to a collector, in constant memory; what failed has no rows.
Summary collect(const Points& points, const Results& results, Collector& collector, const Complaint& complaint);

/// Takes text as it comes about.
using Output = std::function<void(const std::string&)>;

/// Comma-separated values, one measured value a line: point, the axes, row (from 0), measure, value, unit ("fs",
/// "bytes", "bytes_per_second" or empty).
std::unique_ptr<Collector> csv_collector(const std::vector<report::AxisColumn>& axes, Output output);

/// JSON Lines, one object a row: point, the axes, row, then all columns as `run --format json` names them; a failed
/// point has "error" instead. An axis that is called like anything of that, in any row of the sweep, has "_axis" behind
/// its name in all of them; so it has in the other collectors.
std::unique_ptr<Collector> jsonl_collector(const std::vector<report::AxisColumn>& axes, Output output);

/// The same as comma-separated values: a line a row, all columns that any of them has, "error" last.
std::unique_ptr<Collector> wide_csv_collector(const std::vector<report::AxisColumn>& axes, Output output);

/// An SQLite file with the tables points, measurements, accounts, failures and meta; it replaces `file` when all is
/// there. Throws std::runtime_error when SQLite refuses.
std::unique_ptr<Collector> sqlite_collector(const std::vector<report::AxisColumn>& axes, std::filesystem::path file,
                                            std::string version);

/// One table with the axes as leading columns, as `run --vary` prints it. There when it has ended.
class TableCollector final : public Collector {
 public:
  explicit TableCollector(std::vector<report::AxisColumn> axes) : axes_(std::move(axes)) {}
  void take(std::size_t position, const Point& point, const Result& result) override;
  void end(const Summary&) override;
  const report::Rows& rows() const { return rows_; }
  const report::Cost& cost() const { return cost_; }

 private:
  std::vector<report::AxisColumn> axes_;
  std::vector<std::vector<Coordinate>> places_;  // of each row
  report::Rows rows_;
  report::Cost cost_;
};

}  // namespace tsunagi::sweep
