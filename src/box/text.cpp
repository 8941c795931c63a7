// SPDX-License-Identifier: Apache-2.0
#include "box/text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "box/legend.hpp"

namespace tsunagi::box {
namespace {

std::string cells(std::size_t n) { return fmt::format("{} {}", n, n == 1 ? "cell" : "cells"); }

/// Words for one table.
class Table {
 public:
  Table(const Matrix& m, What what, Legend& limits, Legend& reasons) {
    const auto& places = m.plan.server.places;
    const std::vector<std::size_t> with_cells = places_of(m.plan, what);
    lines_.push_back({"from \\ to"});
    for (const std::size_t p : with_cells) lines_.front().push_back(places[p].name);
    for (const std::size_t from : with_cells) {
      lines_.push_back({places[from].name});
      for (const std::size_t to : with_cells) lines_.back().push_back(word(m, what, from, to, limits, reasons));
    }
  }
  std::string text() const {
    std::vector<std::size_t> widths(lines_.front().size());
    for (const auto& line : lines_)
      for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
    std::string out;
    for (const auto& line : lines_) {
      std::string l = fmt::format("{:<{}}", line[0], widths[0]);
      for (std::size_t i = 1; i < line.size(); ++i) l += fmt::format("  {:>{}}", line[i], widths[i]);
      out += l.substr(0, l.find_last_not_of(' ') + 1) + "\n";
    }
    return out;
  }

 private:
  static std::string word(const Matrix& m, What what, std::size_t from, std::size_t to, Legend& limits,
                          Legend& reasons) {
    const Cell* cell = find(m.plan, from, to, what);
    if (cell == nullptr) return "-";
    const Value& v = m.values[static_cast<std::size_t>(cell - m.plan.cells.data())];
    if (!v.value) return fmt::format("({})", reasons.number_of(v.why_not) + 1);
    std::string out = number_in(what, *v.value) + (cell->near ? " " : "*");
    return out + (is_rate(what) ? letters(limits.number_of(v.limit.kind)) : "");
  }

  std::vector<std::vector<std::string>> lines_;
};

std::string interval_text(What what, const Value& v) {
  return v.interval ? fmt::format("{} .. {}", number_in(what, v.interval->low), number_in(what, v.interval->high)) : "";
}

/// Intervals of cells that agree in what they are, how they are limited and how large they are stand once.
std::string intervals(const Matrix& m) {
  Legend seen;
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < m.values.size(); ++i) {
    const Cell& c = m.plan.cells[i];
    const Value& v = m.values[i];
    if (!v.value || !v.interval) continue;
    const std::string line =
        fmt::format("  {} {}: {}{}", name_of(c.what), shown(c.what, *v.value), interval_text(c.what, v),
                    v.interval->moved_most_by.empty() ? "" : ", moved most by " + v.interval->moved_most_by);
    if (seen.number_of(line) == lines.size()) lines.push_back(line);
  }
  std::string out = lines.empty() ? "" : "\nintervals over assumed and fitted values, one at a time\n";
  for (std::size_t i = 0; i < lines.size(); ++i) out += fmt::format("{} ({})\n", lines[i], cells(seen.count(i)));
  return out;
}

constexpr std::size_t most_causes = 5;

std::string compared_text(const Matrix& m, const Comparison& c) {
  const auto& places = m.plan.server.places;
  const Value& v = m.values[c.cell];
  std::string out = fmt::format("{} > {}, {}: measured {}, ", places[c.measured.from].name, places[c.measured.to].name,
                                name_of(c.measured.what), shown(c.measured.what, c.measured.value));
  if (!v.value) return out + "not simulated: " + v.why_not + "\n";
  out += fmt::format("model {}{}: {}\n", shown(c.measured.what, *v.value),
                     v.interval ? " (" + interval_text(c.measured.what, v) + ")" : "", name_of(c.verdict));
  if (c.verdict != Verdict::low) return out;
  std::size_t explaining = 0;
  for (const Tried& t : c.tried) explaining += t.explains ? 1 : 0;
  out += explaining > 0 ? "  explained by\n" : "  no single cause that is modelled explains it; the nearest:\n";
  for (std::size_t i = 0; i < c.tried.size() && i < (explaining > 0 ? explaining : 3) && i < most_causes; ++i) {
    const Tried& t = c.tried[i];
    if (t.value)
      out += fmt::format("    {}: {}\n      see {}\n", t.cause.name, shown(c.measured.what, *t.value), t.cause.check);
  }
  return out;
}

}  // namespace

std::string number_in(What what, double value) { return fmt::format("{:.2f}", value * (is_rate(what) ? 1e-9 : 1e6)); }

std::string shown(What what, double value) { return number_in(what, value) + (is_rate(what) ? " GB/s" : " us"); }

const char* title_of(What what) {
  switch (what) {
    case What::one_way:
      return "One way";
    case What::read:
      return "Read";
    case What::both_ways:
      return "Both ways";
    case What::at_once:
      return "All at once";
    case What::latency:
      return "Latency";
  }
  return "";
}

const char* heading_of(What what) {
  switch (what) {
    case What::one_way:
      return "bandwidth one way, GB/s";
    case What::read:
      return "bandwidth one way, who gets the bytes reads them, GB/s";
    case What::both_ways:
      return "bandwidth both ways at the same time, their sum, GB/s";
    case What::at_once:
      return "bandwidth of each while all go at once, GB/s";
    case What::latency:
      return "latency of a small message, us";
  }
  return "";
}

std::string text(const Matrix& m, const std::vector<Comparison>& compared) {
  std::string out;
  Legend limits;
  Legend reasons;
  for (const What what : all_whats)
    if (!places_of(m.plan, what).empty())
      out += fmt::format("{}\n{}\n", heading_of(what), Table(m, what, limits, reasons).text());
  out += "*  from one socket to the other\n";
  if (!limits.texts().empty()) out += "\nlimited by\n";
  for (std::size_t i = 0; i < limits.texts().size(); ++i)
    out += fmt::format("{:>3}  {} ({})\n", letters(i), limits.texts()[i], cells(limits.count(i)));
  if (!reasons.texts().empty()) out += "\nnot simulated\n";
  for (std::size_t i = 0; i < reasons.texts().size(); ++i) out += fmt::format("({}) {}\n", i + 1, reasons.texts()[i]);
  out += intervals(m);
  if (!compared.empty()) out += "\nmeasured values beside these\n";
  for (const Comparison& c : compared) out += compared_text(m, c);
  return out;
}

}  // namespace tsunagi::box
