// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "report/formats/csv.hpp"
#include "sweep/collect/axis_columns.hpp"
#include "sweep/collect/collect.hpp"
#include "sweep/plan/text.hpp"

namespace tsunagi::sweep {
namespace {

using Json = nlohmann::ordered_json;
using report::AxisColumn;
using report::Column;
using report::Measured;

std::string why(const Result& result) { return fmt::format("{}", fmt::join(result.messages, "\n")); }

/// The lines of a text in one, which readers of CSV take that know no quoted newlines.
std::string in_one_line(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\n') {
      out += text[i];
      continue;
    }
    out += "; ";
    while (i + 1 < text.size() && text[i + 1] == ' ') ++i;
  }
  return out;
}

Column plain(const char* name) { return {name, "", name}; }

class Csv final : public Collector {
 public:
  Csv(const std::vector<AxisColumn>& axes, Output output)
      : axes_(axis_columns(axes, {"point", "row", "measure", "value", "unit"})), output_(std::move(output)) {
    std::string header = "point";
    for (const AxisColumn& axis : axes_) header += "," + report::csv_field(axis.key());
    output_(header + ",row,measure,value,unit\n");
  }

  void take(std::size_t, const Point& point, const Result& result) override {
    std::string begin = point.id;
    for (const Measured& place : places(axes_, point)) begin += "," + report::csv_value(place.value);
    std::string lines;
    std::size_t index = 0;
    for (const report::Row& row : result.rows.rows) {
      for (const Measured& m : report::measured(result.rows, row))
        lines += fmt::format("{},{},{},{},{}\n", begin, index, report::csv_field(m.name), report::csv_value(m.value),
                             m.unit);
      ++index;
    }
    output_(lines);
  }

 private:
  std::vector<AxisColumn> axes_;
  Output output_;
};

/// Collectors of whole rows: point, the axes, row, the row's values; a failed point has an error instead.
class ByRow : public Collector {
 public:
  ByRow(const std::vector<AxisColumn>& axes, Output output) : axes_(axes), output_(std::move(output)) {}

  bool wants_measures() const override { return true; }
  void begin(const std::vector<Column>& measures) override {
    axes_ = axis_columns(axes_, names_of(measures, {"point", "row", "error"}));
    std::vector<Column> all{plain("point")};
    for (const AxisColumn& axis : axes_) all.push_back({axis.name, axis.unit, axis.key()});
    all.push_back(plain("row"));
    all.insert(all.end(), measures.begin(), measures.end());
    all.push_back(plain("error"));
    header(all);
  }

  void take(std::size_t, const Point& point, const Result& result) override {
    std::vector<Measured> at{{plain("point"), point.id}};
    for (Measured& place : places(axes_, point)) at.push_back(std::move(place));
    if (!result.ok) {
      std::vector<Measured> values = at;
      values.push_back({plain("error"), error_of(result)});
      output_(line(values));
    }
    std::string lines;
    std::int64_t index = 0;
    for (const report::Row& row : result.rows.rows) {
      std::vector<Measured> values = at;
      values.push_back({plain("row"), index++});
      for (Measured& m : report::measured(result.rows, row)) values.push_back(std::move(m));
      lines += line(values);
    }
    output_(lines);
  }

 protected:
  void output(const std::string& text) { output_(text); }

 private:
  virtual void header(std::vector<Column>) {}
  virtual std::string error_of(const Result& result) { return why(result); }
  virtual std::string line(const std::vector<Measured>& values) = 0;

  std::vector<AxisColumn> axes_;
  Output output_;
};

class WideCsv final : public ByRow {
 public:
  using ByRow::ByRow;

 private:
  void header(std::vector<Column> all) override {
    columns_ = std::move(all);
    output(report::csv_names(columns_) + "\n");
  }
  std::string line(const std::vector<Measured>& values) override { return report::csv_values(columns_, values) + "\n"; }

  std::string error_of(const Result& result) override { return in_one_line(why(result)); }

  std::vector<Column> columns_;
};

class JsonLines final : public ByRow {
 public:
  using ByRow::ByRow;

 private:
  std::string line(const std::vector<Measured>& values) override {
    Json object;
    for (const Measured& m : values) object[m.key] = report::to_json(m.value);
    return json_line(object);
  }
};

}  // namespace

std::unique_ptr<Collector> csv_collector(const std::vector<AxisColumn>& axes, Output output) {
  return std::make_unique<Csv>(axes, std::move(output));
}

std::unique_ptr<Collector> wide_csv_collector(const std::vector<AxisColumn>& axes, Output output) {
  return std::make_unique<WideCsv>(axes, std::move(output));
}

std::unique_ptr<Collector> jsonl_collector(const std::vector<AxisColumn>& axes, Output output) {
  return std::make_unique<JsonLines>(axes, std::move(output));
}

}  // namespace tsunagi::sweep
