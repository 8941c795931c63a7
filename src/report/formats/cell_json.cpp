// SPDX-License-Identifier: Apache-2.0
#include "report/formats/cell_json.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace tsunagi::report {

const char* type_of(const Cell& cell) {
  if (std::holds_alternative<Time>(cell) || std::holds_alternative<NoTime>(cell)) return "time";
  if (std::holds_alternative<Bytes>(cell)) return "bytes";
  return std::holds_alternative<std::int64_t>(cell) ? "count" : "text";
}

nlohmann::ordered_json value_of(const Cell& cell) {
  if (const auto* t = std::get_if<Time>(&cell)) return t->fs();
  if (const auto* b = std::get_if<Bytes>(&cell)) return b->count();
  if (const auto* n = std::get_if<std::int64_t>(&cell)) return *n;
  if (const auto* none = std::get_if<NoTime>(&cell)) return none->why;
  return std::get<std::string>(cell);
}

void add_cell(Row& row, const std::string& name, const std::string& type, const nlohmann::ordered_json& value) {
  if (type == "time" && value.is_string())
    row.no_time(name, value.get<std::string>());
  else if (type == "time")
    row.time(name, Time::from_fs(value.get<std::int64_t>()));
  else if (type == "bytes")
    row.bytes(name, Bytes(value.get<std::int64_t>()));
  else if (type == "count")
    row.count(name, value.get<std::int64_t>());
  else if (type == "text")
    row.text(name, value.get<std::string>());
  else
    throw std::runtime_error("a cell cannot be of type " + type);
}

}  // namespace tsunagi::report
