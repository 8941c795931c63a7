// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sqlite3.h>

#include <stdexcept>
#include <unordered_set>

#include "report/accounts/rows_accounts.hpp"
#include "report/digest.hpp"
#include "report/whole_file.hpp"
#include "sweep/collect/axis_columns.hpp"
#include "sweep/collect/collect.hpp"

namespace tsunagi::sweep {
namespace {

/// A database file that is being made.
class Database {
 public:
  /// `schema`: what is executed first.
  Database(const std::filesystem::path& file, const std::string& schema) : name_(file.string()) {
    std::filesystem::remove(file);
    check(sqlite3_open(name_.c_str(), &db_));
    execute(schema);
  }
  ~Database() { sqlite3_close(db_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void execute(const std::string& sql) { check(sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr)); }
  void check(int code) const {
    if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return;
    throw std::runtime_error(fmt::format("cannot write {}: {}", name_, sqlite3_errmsg(db_)));
  }
  sqlite3* handle() const { return db_; }

 private:
  std::string name_;
  sqlite3* db_ = nullptr;
};

/// "INSERT INTO table VALUES (?, …)", again and again.
class Insert {
 public:
  Insert(Database& db, const std::string& table, std::size_t columns) : db_(db) {
    std::string marks = "?";
    for (std::size_t i = 1; i < columns; ++i) marks += ",?";
    const std::string sql = fmt::format("INSERT INTO {} VALUES ({})", table, marks);
    db_.check(sqlite3_prepare_v2(db_.handle(), sql.c_str(), -1, &statement_, nullptr));
  }
  ~Insert() { sqlite3_finalize(statement_); }
  Insert(const Insert&) = delete;
  Insert& operator=(const Insert&) = delete;

  Insert& add(std::int64_t v) { return checked(sqlite3_bind_int64(statement_, ++bound_, v)); }
  Insert& add(double v) { return checked(sqlite3_bind_double(statement_, ++bound_, v)); }
  Insert& add(const std::string& v) {
    return checked(sqlite3_bind_text(statement_, ++bound_, v.data(), static_cast<int>(v.size()), SQLITE_TRANSIENT));
  }
  /// NULL.
  Insert& nothing() { return checked(sqlite3_bind_null(statement_, ++bound_)); }
  void row() {
    db_.check(sqlite3_step(statement_));
    sqlite3_reset(statement_);
    bound_ = 0;
  }

 private:
  Insert& checked(int code) {
    db_.check(code);
    return *this;
  }

  Database& db_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

/// A name in SQL.
std::string in_sql(const std::string& name) {
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string schema(const std::vector<report::AxisColumn>& axes) {
  std::string columns;
  for (const report::AxisColumn& axis : axes)
    columns += in_sql(axis.key()) + " NUMERIC, ";  // what looks like a number is one, all else a text
  return "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;"
         "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT);"
         "CREATE TABLE points (position INTEGER PRIMARY KEY, point TEXT, " +
         columns +
         "status TEXT, digest TEXT);"
         "CREATE TABLE measurements (point TEXT, row INTEGER, measure TEXT, value, unit TEXT);"
         "CREATE TABLE accounts (point TEXT, row INTEGER, account TEXT, name TEXT, calls INTEGER, total_fs INTEGER, "
         "bytes INTEGER, ppm INTEGER);"
         "CREATE TABLE failures (point TEXT, message TEXT);";
}

std::int64_t plain(Time t) { return t.fs(); }
std::int64_t plain(Bytes b) { return b.count(); }
std::int64_t plain(std::int64_t n) { return n; }
const std::string& plain(const std::string& text) { return text; }
const std::string& plain(const report::NoTime& none) { return none.why; }

void add(Insert& insert, const report::PlainValue& value) {
  if (const auto* truth = std::get_if<bool>(&value))
    insert.add(std::string(*truth ? "true" : "false"));
  else if (const auto* n = std::get_if<std::int64_t>(&value))
    insert.add(*n);
  else if (const auto* v = std::get_if<double>(&value))
    insert.add(*v);
  else if (std::holds_alternative<std::nullptr_t>(value))
    insert.nothing();
  else
    insert.add(std::get<std::string>(value));
}

class Sqlite final : public Collector {
 public:
  Sqlite(const std::vector<report::AxisColumn>& axes, std::filesystem::path file, std::string version)
      : version_(std::move(version)),
        file_(std::move(file)),
        part_(report::part_of(file_)),
        axes_(axis_columns(axes, {"position", "point", "status", "digest"})),
        db_(part_, schema(axes_)),
        points_(db_, "points", axes.size() + 4),
        measurements_(db_, "measurements", 5),
        accounts_(db_, "accounts", 8),
        failures_(db_, "failures", 2) {}
  ~Sqlite() override {
    std::error_code gone;
    std::filesystem::remove(part_, gone);
  }

  void take(std::size_t position, const Point& point, const Result& result) override {
    points_.add(static_cast<std::int64_t>(position)).add(point.id);
    for (const report::Measured& place : places(axes_, point)) add(points_, place.value);
    points_.add(result.ok ? "ok" : "failed").add(report::digest(result.rows)).row();
    if (!taken_.insert(point.id).second) return;  // what equal points measured stands there once
    for (const std::string& message : result.messages) failures_.add(point.id).add(message).row();
    for (const report::Row& row : report::accounts_table(result.rows).rows) add_account(point.id, row);
    std::int64_t index = 0;
    for (const report::Row& row : result.rows.rows) {
      for (const report::Measured& m : report::measured(result.rows, row)) {
        measurements_.add(point.id).add(index).add(m.name);
        add(measurements_, m.value);
        measurements_.add(m.unit).row();
      }
      ++index;
    }
  }

  void end(const Summary& summary) override {
    Insert meta(db_, "meta", 2);
    meta.add(std::string("tsunagi")).add(version_).row();
    meta.add(std::string("digest")).add(summary.digest).row();
    meta.add(std::string("missing")).add(std::to_string(summary.missing)).row();
    db_.execute(
        "CREATE INDEX measurements_of_point ON measurements (point);"
        "CREATE INDEX accounts_of_point ON accounts (point); COMMIT;");
    std::filesystem::rename(part_, file_);
  }

 private:
  /// A line of report::accounts_table; the mean is a quotient of others.
  void add_account(const std::string& point, const report::Row& line) {
    accounts_.add(point);
    for (const char* name : {"row", "account", "name", "calls", "total", "bytes", "ppm"}) {
      const report::Cell* cell = line.find(name);
      if (cell == nullptr)
        accounts_.nothing();
      else
        std::visit([this](const auto& v) { accounts_.add(plain(v)); }, *cell);
    }
    accounts_.row();
  }

  std::string version_;
  std::filesystem::path file_;
  std::filesystem::path part_;
  std::vector<report::AxisColumn> axes_;
  Database db_;
  Insert points_;
  Insert measurements_;
  Insert accounts_;
  Insert failures_;
  std::unordered_set<std::string> taken_;
};

}  // namespace

std::unique_ptr<Collector> sqlite_collector(const std::vector<report::AxisColumn>& axes, std::filesystem::path file,
                                            std::string version) {
  return std::make_unique<Sqlite>(axes, std::move(file), std::move(version));
}

}  // namespace tsunagi::sweep
