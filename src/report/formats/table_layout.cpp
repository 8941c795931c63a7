// SPDX-License-Identifier: Apache-2.0
#include "report/formats/table_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string_view>

namespace tsunagi::report {
namespace {

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

}  // namespace

std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; }));
}

void TextTable::column(std::string heading, Align align) { columns_.push_back({std::move(heading), align}); }

void TextTable::row(std::vector<std::string> cells) {
  if (cells.size() != columns_.size()) throw std::logic_error("a table row needs a cell for each column");
  rows_.push_back(std::move(cells));
}

std::string TextTable::text() const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t w = width(columns_[c].heading);
    for (const auto& row : rows_) w = std::max(w, width(row[c]));
    widths.push_back(w);
  }
  std::string out;
  const auto line = [&](const auto& cell_of) {
    std::string text;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string& cell = cell_of(c);
      const std::string padding(widths[c] - width(cell), ' ');
      if (c > 0) text += "  ";
      text += columns_[c].align == Align::right ? padding + cell : cell + padding;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  };
  line([&](std::size_t c) -> const std::string& { return columns_[c].heading; });
  for (const auto& row : rows_) line([&](std::size_t c) -> const std::string& { return row[c]; });
  return out;
}

std::vector<std::string> column_names(const Rows& rows) {
  std::vector<std::string> names;
  for (const Row& row : rows.rows)
    for (const auto& cell : row.cells())
      if (std::find(names.begin(), names.end(), cell.first) == names.end()) names.push_back(cell.first);
  return names;
}

double rate_of(const DerivedRate& rate, const Row& row) {
  const Cell* bytes = row.find(rate.bytes);
  const Cell* time = row.find(rate.time);
  if (bytes == nullptr || time == nullptr) return 0;
  const Bytes* b = std::get_if<Bytes>(bytes);
  const Time* t = std::get_if<Time>(time);
  if (b == nullptr || t == nullptr || *t <= Time::zero()) return 0;
  return static_cast<double>(b->count()) * 1e15 / static_cast<double>(t->fs());
}

std::string name_with_unit(const std::string& name, const Cell& cell) {
  if (std::holds_alternative<Time>(cell) || std::holds_alternative<NoTime>(cell)) return with_unit(name, "fs");
  return std::holds_alternative<Bytes>(cell) ? with_unit(name, "bytes") : name;
}

std::string with_unit(const std::string& name, const std::string& unit) {
  return unit.empty() || name == unit || ends_with(name, "_" + unit) ? name : name + "_" + unit;
}

std::string human_bytes(Bytes value) {
  constexpr std::array<const char*, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
  std::int64_t n = value.count();
  std::size_t unit = 0;
  while (n != 0 && n % 1024 == 0 && unit + 1 < units.size()) {
    n /= 1024;
    ++unit;
  }
  return fmt::format("{} {}", n, units[unit]);
}

std::string human_rate(double bytes_per_second) {
  if (bytes_per_second <= 0) return "-";
  constexpr std::array<const char*, 5> units{"B/s", "kB/s", "MB/s", "GB/s", "TB/s"};
  std::size_t unit = 0;
  double v = bytes_per_second;
  while (v >= 999.995 && unit + 1 < units.size()) {
    v /= 1000;
    ++unit;
  }
  return fmt::format("{:.2f} {}", v, units[unit]);
}

}  // namespace tsunagi::report
