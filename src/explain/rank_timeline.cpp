// SPDX-License-Identifier: Apache-2.0
#include "explain/rank_timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace tsunagi::explain {
namespace {

std::string name_of(const comm::Wait& w) {
  switch (w.what) {
    case comm::Wait::For::leaving:
      return fmt::format("wait until the message to rank {} has left", w.peer);
    case comm::Wait::For::room:
      return fmt::format("wait for room at rank {}", w.peer);
    case comm::Wait::For::envelope:
      break;
  }
  return fmt::format("wait for rank {}", w.peer);
}

bool begins_before(const RankStage& a, const RankStage& b) { return a.begin < b.begin; }

void add(std::vector<RankStage>& to, RankStage stage, Time begin, Time end) {
  stage.begin = std::max(stage.begin, begin);
  stage.end = std::min(stage.end, end);
  if (stage.begin < stage.end) to.push_back(std::move(stage));
}

/// One after another: what begins before the one before it has ended begins there.
void put_in_line(std::vector<RankStage>& stages) {
  std::stable_sort(stages.begin(), stages.end(), begins_before);
  std::vector<RankStage> out;
  for (RankStage& s : stages) add(out, std::move(s), out.empty() ? s.begin : out.back().end, s.end);
  stages = std::move(out);
}

/// Steps where there is no wait, and waits; steps that go on are one.
std::vector<RankStage> merged(std::vector<RankStage> steps, std::vector<RankStage> waits) {
  put_in_line(steps);
  put_in_line(waits);
  std::vector<RankStage> out = waits;
  for (const RankStage& s : steps) {
    Time at = s.begin;
    for (auto w = std::upper_bound(waits.begin(), waits.end(), at,
                                   [](Time t, const RankStage&wait) { return t < wait.end; });
         w != waits.end() && w->begin < s.end; ++w) {
      add(out, s, at, w->begin);
      at = w->end;
    }
    add(out, s, at, s.end);
  }
  std::stable_sort(out.begin(), out.end(), begins_before);
  std::vector<RankStage> joined;
  for (RankStage& s : out)
    if (!joined.empty() && joined.back().end == s.begin && joined.back().what == s.what)
      joined.back().end = s.end;
    else
      joined.push_back(std::move(s));
  return joined;
}

}  // namespace

RankTimeline rank_timeline(const History& history, Time begin, Time end, const std::vector<int>& first,
                           std::size_t most_ranks, std::size_t most_stages) {
  struct Of {
    std::vector<RankStage> steps;
    std::vector<RankStage> waits;
  };
  std::map<int, Of> by_rank;
  for (const comm::Step& s : history.steps()) add(by_rank[s.rank].steps, {s.name, false, s.begin, s.end}, begin, end);
  for (const comm::Wait& w : history.waits())
    add(by_rank[w.rank].waits, {name_of(w), true, w.begin, w.end}, begin, end);
  std::vector<int> order;
  const auto want = [&](int rank) {
    const auto of = by_rank.find(rank);
    if (of == by_rank.end() || (of->second.steps.empty() && of->second.waits.empty())) return;
    if (std::find(order.begin(), order.end(), rank) == order.end()) order.push_back(rank);
  };
  for (const int rank : first) want(rank);
  for (const auto& [rank, of] : by_rank) want(rank);
  RankTimeline out;
  std::size_t stages = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    Of& of = by_rank[order[i]];
    RankLine line{order[i], merged(std::move(of.steps), std::move(of.waits))};
    stages += line.stages.size();
    if (i == most_ranks || stages > most_stages) {
      out.left_out = order.size() - i;
      break;
    }
    out.lines.push_back(std::move(line));
  }
  std::sort(out.lines.begin(), out.lines.end(), [](const RankLine& a, const RankLine& b) { return a.rank < b.rank; });
  return out;
}

nlohmann::ordered_json to_json(const RankTimeline& timeline, Time zero) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const RankLine& line : timeline.lines) {
    nlohmann::ordered_json one{{"rank", line.rank}, {"stages", nlohmann::ordered_json::array()}};
    for (const RankStage& s : line.stages)
      one["stages"].push_back({{"what", s.what},
                               {"kind", s.is_wait ? "wait" : "step"},
                               {"start_fs", (s.begin - zero).fs()},
                               {"duration_fs", (s.end - s.begin).fs()}});
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace tsunagi::explain
