// SPDX-License-Identifier: Apache-2.0
#include "fit/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "config/suggest.hpp"
#include "config/text/file_text.hpp"

namespace tsunagi::fit {
namespace {

std::string trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of(" \t\r");
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

/// One line's cells; `at` is moved behind it.
std::vector<std::string> cells_of(const std::string& text, std::size_t& at) {
  std::vector<std::string> out{""};
  bool quoted = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted && c == '"' && at + 1 < text.size() && text[at + 1] == '"')
      out.back() += text[++at];
    else if (c == '"')
      quoted = !quoted;
    else if (quoted || (c != ',' && c != '\n'))
      out.back() += c;
    else if (c == ',')
      out.emplace_back();
    else
      break;
  }
  if (quoted) throw DataError("a quote is open at its end");
  if (at < text.size()) ++at;
  for (std::string& cell : out) cell = trimmed(cell);
  return out;
}

double number_of(const std::string& cell, const std::string& column) {
  double out = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), out);
  if (error != std::errc() || end != cell.data() + cell.size() || !std::isfinite(out))
    throw DataError(fmt::format("column \"{}\": \"{}\" is no number", column, cell));
  return out;
}

std::size_t column_of(const Csv& csv, const std::string& name) {
  const auto found = std::find(csv.columns.begin(), csv.columns.end(), name);
  if (found == csv.columns.end()) throw DataError(config::detail::unknown("column", name, csv.columns));
  return static_cast<std::size_t>(found - csv.columns.begin());
}

/// Whether a line has the texts that are wanted.
class Filter {
 public:
  Filter(const Csv& csv, const std::vector<std::string>& where) {
    for (const std::string& text : where) {
      const std::size_t equals = text.find('=');
      wanted_.emplace_back(column_of(csv, text.substr(0, equals)), text.substr(equals + 1));
    }
  }
  bool takes(const std::vector<std::string>& line) const {
    return std::all_of(wanted_.begin(), wanted_.end(), [&](const auto& w) { return line[w.first] == w.second; });
  }

 private:
  std::vector<std::pair<std::size_t, std::string>> wanted_;
};

}  // namespace

Csv parse_csv(const std::string& text) {
  Csv out;
  for (std::size_t at = 0; at < text.size();) {
    const auto number = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    std::vector<std::string> cells = cells_of(text, at);
    if ((cells.size() == 1 && cells[0].empty()) || cells[0].rfind('#', 0) == 0) continue;
    if (out.columns.empty()) {
      out.columns = std::move(cells);
      continue;
    }
    if (cells.size() != out.columns.size())
      throw DataError(fmt::format("line {} has {} cells, the first {}", number, cells.size(), out.columns.size()));
    out.lines.push_back(std::move(cells));
  }
  if (out.columns.empty()) throw DataError("has no line that names its columns");
  return out;
}

std::vector<Measured> points_of(const Csv& csv, const std::vector<std::string>& where, const std::string& x,
                                const std::string& y) {
  const Filter filter(csv, where);
  const std::size_t x_column = column_of(csv, x);
  const std::size_t y_column = column_of(csv, y);
  std::map<double, std::vector<double>> by_x;
  for (const auto& line : csv.lines) {
    if (!filter.takes(line) || line[x_column].empty() || line[y_column].empty()) continue;
    const double value = number_of(line[y_column], y);
    if (value <= 0) throw DataError(fmt::format("column \"{}\": {} is not above 0", y, line[y_column]));
    by_x[number_of(line[x_column], x)].push_back(value);
  }
  if (by_x.empty()) throw DataError("has no line for this curve");
  std::vector<Measured> out;
  for (const auto& [place, values] : by_x) {
    double sum = 0;
    for (const double v : values) sum += v;
    out.push_back({place, sum / static_cast<double>(values.size())});
  }
  return out;
}

std::string content_of(const std::filesystem::path& file) {
  std::string why;
  std::optional<std::string> text = config::detail::read_text(file, why);
  if (!text) throw DataError("cannot be read: " + why);
  return *std::move(text);
}

}  // namespace tsunagi::fit
