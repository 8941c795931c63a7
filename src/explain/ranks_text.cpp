// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "explain/ranks.hpp"
#include "explain/text.hpp"
#include "units/parse.hpp"

namespace tsunagi::explain {
namespace {

constexpr std::size_t cell_columns = 48;
constexpr std::size_t time_columns = 21;  // begin and duration, with a blank behind each
constexpr std::size_t most_steps = 12;    // of one call, before they are summed by name

struct Row {
  Time begin;
  Time took;
  std::string name;
};

std::string call_name(const comm::Call& c) {
  if (c.kind == comm::Call::Kind::wait) return "wait for messages";
  const std::string what = fmt::format("{} {}", comm::name_of(c.kind), to_string(c.size));
  if (c.kind == comm::Call::Kind::finish) return what;
  return fmt::format("{} {} rank {}", what, c.kind == comm::Call::Kind::send ? "to" : "from", c.peer);
}

void add_wait(std::vector<StepWait>& waits, const StepWait& more) {
  const auto same = std::find_if(waits.begin(), waits.end(), [&](const StepWait& w) { return w.name == more.name; });
  if (same == waits.end()) return waits.push_back(more);
  same->took += more.took;
  same->end = more.end;
}

struct StepSum {
  Row row;
  std::size_t count = 0;
  std::vector<StepWait> waits;
};

/// The steps of a call; those of one name in one where there are many.
std::vector<StepSum> sums_of(const CallView& call) {
  std::vector<StepSum> sums;
  const bool many = call.steps.size() > most_steps;
  for (const StepView& s : call.steps) {
    auto sum = !many ? sums.end()
                     : std::find_if(sums.begin(), sums.end(), [&](const StepSum& o) { return o.row.name == s.name; });
    if (sum == sums.end()) sum = sums.insert(sum, {{s.begin, {}, s.name}, 0, {}});
    sum->row.took += s.end - s.begin;
    ++sum->count;
    for (const StepWait& w : s.waits) add_wait(sum->waits, w);
  }
  return sums;
}

std::vector<Row> rows_of(const RankView& view) {
  std::vector<Row> rows;
  for (const CallView& c : view.calls) {
    rows.push_back({c.call.begin, c.call.end - c.call.begin, call_name(c.call)});
    for (const StepSum& s : sums_of(c)) {
      const std::string times = s.count > 1 ? fmt::format(" ({} times)", s.count) : "";
      rows.push_back({s.row.begin, s.row.took, "  " + s.row.name + times});
      for (const StepWait& w : s.waits) rows.push_back({w.begin, w.took, "    " + w.name});
    }
  }
  return rows;
}

std::string sum_line(const CallView& c, const Scale& scale) {
  const Time all = c.call.end - c.call.begin;
  return fmt::format("rank {}: {}: {} {} = {} in steps + {} in the library\n", c.call.rank, call_name(c.call),
                     scale(all), scale.unit(), scale(all - c.uncovered), scale(c.uncovered));
}

}  // namespace

std::string side_by_side(const std::vector<RankView>& views, const Message& message) {
  const Time zero = message.send.begin;
  Scale scale(message.latency());
  std::vector<std::vector<Row>> columns;
  for (const RankView& v : views) {
    columns.push_back(rows_of(v));
    for (const Row& r : columns.back()) {
      scale.fit(r.begin - zero);
      scale.fit(r.took);
    }
  }
  std::string out;
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (const std::string& c : cells)
      text += fmt::format("{}{:<{}}", text.empty() ? "" : " | ", c, &c == &cells.back() ? 0 : cell_columns);
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  };
  std::vector<std::string> headings;
  for (const RankView& v : views)
    headings.push_back(fmt::format("{:>9} {:>10} rank {}", "begin", scale.unit(), v.rank));
  line(headings);
  for (std::vector<std::size_t> next(columns.size());;) {
    // The earliest, and what begins with it.
    Time begin = Time::max();
    for (std::size_t c = 0; c < columns.size(); ++c)
      if (next[c] < columns[c].size()) begin = std::min(begin, columns[c][next[c]].begin);
    if (begin == Time::max()) break;
    std::vector<std::string> cells(columns.size());
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (next[c] == columns[c].size() || columns[c][next[c]].begin > begin) continue;
      const Row& r = columns[c][next[c]++];
      cells[c] = fmt::format("{:>9} {:>10} {}", scale(r.begin - zero), scale(r.took),
                             shortened(r.name, cell_columns - time_columns));
    }
    line(cells);
  }
  for (const RankView& v : views)
    for (const CallView& c : v.calls) out += sum_line(c, scale);
  return out;
}

}  // namespace tsunagi::explain
