// SPDX-License-Identifier: Apache-2.0
#include "explain/ranks.hpp"

#include <algorithm>

namespace tsunagi::explain {
namespace {

bool is_wait(net::Stage s) {
  return s == net::Stage::tag || s == net::Stage::buffer || s == net::Stage::poll || s == net::Stage::core;
}

/// The waits of a device that overlap with [from, to].
std::vector<const net::StageEvent*> waits_at(const History& history, const std::string& place, Time from, Time to) {
  std::vector<const net::StageEvent*> out;
  for (const net::StageEvent& e : history.stages())
    if (is_wait(e.stage) && e.begin < to && e.end > from && e.place == place) out.push_back(&e);
  std::stable_sort(out.begin(), out.end(), [](const auto* a, const auto* b) { return a->begin < b->begin; });
  return out;
}

StepView step_view(const std::string& name, Time begin, Time end, const std::vector<const net::StageEvent*>& waits) {
  StepView view{name, begin, end, {}};
  for (const net::StageEvent* e : waits) {
    const Time from = std::max(begin, e->begin);
    const Time to = std::min(end, e->end);
    if (from >= to) continue;
    auto w = std::find_if(view.waits.begin(), view.waits.end(), [&](const StepWait& v) { return v.name == e->name; });
    if (w == view.waits.end()) w = view.waits.insert(w, {e->name, from, from, {}});
    if (to <= w->end) continue;
    w->took += to - std::max(from, w->end);
    w->end = to;
  }
  return view;
}

CallView call_view(const History& history, const comm::Call& call, const std::string& place) {
  std::vector<const comm::Step*> steps;
  for (const comm::Step& s : history.steps())
    if (s.rank == call.rank && s.begin >= call.begin && s.end <= call.end && s.begin < s.end) steps.push_back(&s);
  std::sort(steps.begin(), steps.end(), [](const auto* a, const auto* b) { return a->begin < b->begin; });
  const auto waits = waits_at(history, place, call.begin, call.end);
  CallView view{call, {}, {}};
  Time at = call.begin;
  const auto until = [&](Time t) {
    if (t <= at) return;
    view.steps.push_back(step_view("in the library", at, t, waits));
    view.uncovered += t - at;
    at = t;
  };
  for (const comm::Step* s : steps) {
    until(s->begin);
    if (s->end <= at) continue;
    // A step that goes on where it stopped is one.
    const bool goes_on = !view.steps.empty() && s->begin == at && view.steps.back().name == s->name;
    const Time begin = goes_on ? view.steps.back().begin : at;
    if (goes_on) view.steps.pop_back();
    view.steps.push_back(step_view(s->name, begin, s->end, waits));
    at = s->end;
  }
  until(call.end);
  return view;
}

/// What a rank did between its calls to send and to receive, while the message was under way: in calls that wait.
std::vector<comm::Call> waits_between(const History& history, int rank, const Message& message,
                                      const std::vector<CallView>& calls) {
  std::vector<comm::Call> out;
  std::vector<const comm::Step*> steps;
  for (const comm::Step& s : history.steps())
    if (s.rank == rank && s.begin >= message.send.begin && s.begin < message.receive.end && s.begin < s.end)
      steps.push_back(&s);
  std::sort(steps.begin(), steps.end(), [](const auto* a, const auto* b) { return a->begin < b->begin; });
  const auto call_at = [&](Time t) {
    return std::any_of(calls.begin(), calls.end(),
                       [&](const CallView& c) { return c.call.begin <= t && t < c.call.end; });
  };
  const auto call_between = [&](Time a, Time b) {
    return std::any_of(calls.begin(), calls.end(),
                       [&](const CallView& c) { return c.call.begin >= a && c.call.begin < b; });
  };
  for (const comm::Step* s : steps) {
    if (call_at(s->begin)) continue;
    if (out.empty() || call_between(out.back().end, s->begin)) {
      comm::Call c;
      c.rank = rank;
      c.kind = comm::Call::Kind::wait;
      c.begin = s->begin;
      out.push_back(c);
    }
    out.back().end = s->end;
  }
  return out;
}

RankView rank_view(const History& history, int rank, const Message& message, const Where& where) {
  RankView view{rank, {}};
  for (const NumberedCall& c : history.calls())
    if (c.call.rank == rank && c.call.begin < message.receive.end && c.call.end > message.send.begin)
      view.calls.push_back(call_view(history, c.call, where(rank)));
  for (const comm::Call& c : waits_between(history, rank, message, view.calls))
    view.calls.push_back(call_view(history, c, where(rank)));
  std::stable_sort(view.calls.begin(), view.calls.end(),
                   [](const CallView& a, const CallView& b) { return a.call.begin < b.call.begin; });
  return view;
}

}  // namespace

std::vector<RankView> views(const History& history, const Message& message, const Where& where) {
  std::vector<RankView> out{rank_view(history, message.send.rank, message, where)};
  if (message.receive.rank != message.send.rank)
    out.push_back(rank_view(history, message.receive.rank, message, where));
  return out;
}

nlohmann::ordered_json to_json(const RankView& view, const Message& message) {
  const Time zero = message.send.begin;
  nlohmann::ordered_json out{{"rank", view.rank}};
  auto& calls = out["calls"] = nlohmann::ordered_json::array();
  for (const CallView& c : view.calls) {
    nlohmann::ordered_json call{{"call", comm::name_of(c.call.kind)},
                                {"peer", c.call.peer},
                                {"size_bytes", c.call.size.count()},
                                {"start_fs", (c.call.begin - zero).fs()},
                                {"duration_fs", (c.call.end - c.call.begin).fs()},
                                {"in_the_library_fs", c.uncovered.fs()}};
    auto& steps = call["steps"] = nlohmann::ordered_json::array();
    for (const StepView& s : c.steps) {
      nlohmann::ordered_json step{
          {"step", s.name}, {"start_fs", (s.begin - zero).fs()}, {"duration_fs", (s.end - s.begin).fs()}};
      for (const StepWait& w : s.waits)
        step["waits"].push_back({{"wait", w.name}, {"start_fs", (w.begin - zero).fs()}, {"duration_fs", w.took.fs()}});
      steps.push_back(std::move(step));
    }
    calls.push_back(std::move(call));
  }
  return out;
}

}  // namespace tsunagi::explain
