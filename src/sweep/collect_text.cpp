// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "report/csv.hpp"
#include "sweep/collect.hpp"
#include "sweep/measured.hpp"
#include "sweep/text.hpp"

namespace tsunagi::sweep {
namespace {

using Json = nlohmann::ordered_json;

std::string plain(const Measured& m) {
  if (const auto* n = std::get_if<std::int64_t>(&m.value)) return fmt::format("{}", *n);
  if (const auto* v = std::get_if<double>(&m.value)) return fmt::format("{}", *v);
  return report::csv_field(std::get<std::string>(m.value));
}

class Csv final : public Collector {
 public:
  Csv(const std::vector<std::string>& axes, Output output) : output_(std::move(output)) {
    std::string header = "point";
    for (const std::string& axis : axis_columns(axes, {"point", "row", "measure", "value", "unit"}))
      header += "," + report::csv_field(axis);
    output_(header + ",row,measure,value,unit\n");
  }

  void take(std::size_t, const Point& point, const Result& result) override {
    std::string begin = point.id;
    for (const Coordinate& c : point.coordinates) begin += "," + report::csv_field(c.value);
    std::string lines;
    std::size_t index = 0;
    for (const report::Row& row : result.rows.rows) {
      for (const Measured& m : measured(result.rows, row))
        lines += fmt::format("{},{},{},{},{}\n", begin, index, report::csv_field(m.name), plain(m), m.unit);
      ++index;
    }
    output_(lines);
  }

 private:
  Output output_;
};

class JsonLines final : public Collector {
 public:
  JsonLines(const std::vector<std::string>& axes, Output output) : axes_(axes), output_(std::move(output)) {}

  bool wants_measures() const override { return true; }
  void begin(const std::vector<std::string>& measures) override {
    std::vector<std::string> taken{"point", "row", "error"};
    taken.insert(taken.end(), measures.begin(), measures.end());
    names_ = axis_columns(axes_, taken);
  }

  void take(std::size_t, const Point& point, const Result& result) override {
    std::string lines;
    if (!result.ok) {
      Json object = object_of(point);
      object["error"] = fmt::format("{}", fmt::join(result.messages, "\n"));
      lines += json_line(object);
    }
    std::size_t index = 0;
    for (const report::Row& row : result.rows.rows) {
      Json object = object_of(point);
      object["row"] = index++;
      for (const Measured& m : measured(result.rows, row))
        std::visit([&](const auto& value) { object[m.key] = value; }, m.value);
      lines += json_line(object);
    }
    output_(lines);
  }

 private:
  Json object_of(const Point& point) const {
    Json out;
    out["point"] = point.id;
    for (std::size_t i = 0; i < names_.size() && i < point.coordinates.size(); ++i)
      out[names_[i]] = json_value(point.coordinates[i].value);
    return out;
  }

  std::vector<std::string> axes_;
  std::vector<std::string> names_;  // of their columns
  Output output_;
};

}  // namespace

std::unique_ptr<Collector> csv_collector(const std::vector<std::string>& axes, Output output) {
  return std::make_unique<Csv>(axes, std::move(output));
}

std::unique_ptr<Collector> jsonl_collector(const std::vector<std::string>& axes, Output output) {
  return std::make_unique<JsonLines>(axes, std::move(output));
}

}  // namespace tsunagi::sweep
