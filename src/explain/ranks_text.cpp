// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "explain/ranks.hpp"
#include "explain/text.hpp"
#include "units/parse.hpp"

namespace tsunagi::explain {
namespace {

constexpr std::size_t cell_columns = 48;
constexpr std::size_t number_columns = 21;  // begin and duration, with a blank behind each
constexpr std::size_t most_steps = 12;      // of one call, before they are summed by name

struct Row {
  Time begin;
  Time took;
  std::string name;
};

std::string call_name(const comm::Call& c) {
  const bool sends = c.kind == comm::Call::Kind::send;
  return fmt::format("{} {} {} rank {}", sends ? "send" : "receive", to_string(c.size), sends ? "to" : "from", c.peer);
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

std::string side_by_side(const std::pair<RankView, RankView>& both, const Message& message) {
  const Time zero = message.send.begin;
  const std::vector<Row> left = rows_of(both.first);
  const std::vector<Row> right = rows_of(both.second);
  Scale scale(message.latency());
  for (const auto* rows : {&left, &right})
    for (const Row& r : *rows) {
      scale.fit(r.begin - zero);
      scale.fit(r.took);
    }
  const auto cell = [&](const Row& r) {
    return fmt::format("{:>9} {:>10} {}", scale(r.begin - zero), scale(r.took),
                       shortened(r.name, cell_columns - number_columns));
  };
  std::string out;
  const auto line = [&](const std::string& l, const std::string& r) {
    std::string text = fmt::format("{:<{}} | {}", l, cell_columns, r);
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  };
  const std::string heading = fmt::format("{:>9} {:>10} ", "begin", scale.unit());
  line(heading + fmt::format("rank {}", both.first.rank), heading + fmt::format("rank {}", both.second.rank));
  for (std::size_t l = 0, r = 0; l < left.size() || r < right.size();) {
    const bool go_left = r == right.size() || (l < left.size() && left[l].begin <= right[r].begin);
    const bool go_right = l == left.size() || (r < right.size() && right[r].begin <= left[l].begin);
    const std::string from_left = go_left ? cell(left[l++]) : "";
    line(from_left, go_right ? cell(right[r++]) : "");
  }
  for (const RankView* v : {&both.first, &both.second})
    for (const CallView& c : v->calls) out += sum_line(c, scale);
  return out;
}

}  // namespace tsunagi::explain
