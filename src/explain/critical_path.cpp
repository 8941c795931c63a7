// SPDX-License-Identifier: Apache-2.0
#include "explain/critical_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>
#include <tuple>

#include "explain/waterfall.hpp"

namespace tsunagi::explain {
namespace {

using Members = std::map<int, const comm::Together*>;  // by rank

/// What the ranks did together last, as each of them did it.
Members last_together(const History& history) {
  std::map<std::tuple<std::string, int, std::uint64_t>, Members> under_way;
  Members last;
  for (const comm::Together& t : history.together()) {
    const std::tuple key(std::string(t.name), t.context, t.number);
    Members& members = under_way[key];
    members[t.rank] = &t;
    if (members.size() < static_cast<std::size_t>(t.ranks)) continue;
    last = std::move(members);
    under_way.erase(key);
  }
  return last;
}

const char* group_of(Kind k) {
  switch (k) {
    case Kind::step:
    case Kind::core:
    case Kind::poll:
      return "software";
    case Kind::pipeline:
    case Kind::memory:
    case Kind::clock:
    case Kind::datapath:
    case Kind::serialise:
    case Kind::flight:
      return "wires and chips";
    case Kind::queue:
      return "behind own packets";
    case Kind::tag:
    case Kind::buffer:
    case Kind::credit:
    case Kind::replay_space:
    case Kind::arbitration:
    case Kind::wire_busy:
    case Kind::replay:
      return "waiting";
    case Kind::unexplained:
      break;
  }
  return "unexplained";
}

void add(std::vector<std::pair<std::string, Time>>& parts, const std::string& name, Time t) {
  if (t <= Time::zero()) return;
  const auto same = std::find_if(parts.begin(), parts.end(), [&](const auto& p) { return p.first == name; });
  if (same == parts.end())
    parts.emplace_back(name, t);
  else
    same->second += t;
}

void count(std::vector<Leg::Stage>& stages, const Segment& s) {
  auto same = std::find_if(stages.begin(), stages.end(), [&](const Leg::Stage& each) { return each.what == s.what; });
  if (same == stages.end()) same = stages.insert(stages.end(), {s.what, 0, Time::zero()});
  ++same->times;
  same->took += s.end - s.begin;
}

Path walk_message(const History& history, const Leg& leg, const Where& where) {
  return walk(history, last_item(history, where(leg.rank), leg.end), leg.begin, leg.end);
}

/// Goes back from rank to rank.
class Back {
 public:
  Back(const History& history, const Where& where, const Members& members)
      : history_(history), where_(where), members_(members) {
    for (const comm::Wait& w : history.waits()) waits_[w.rank].push_back(&w);
    for (const comm::Step& s : history.steps()) steps_[s.rank].push_back(&s);
    for (const auto& [rank, list] : steps_)
      std::stable_sort(steps_[rank].begin(), steps_[rank].end(),
                       [](const auto* a, const auto* b) { return a->begin < b->begin; });
  }

  CriticalPath run() {
    const comm::Together* last = members_.begin()->second;
    path_.begin = last->begin;
    for (const auto& [rank, t] : members_) {
      path_.begin = std::min(path_.begin, t->begin);
      if (t->end > last->end) last = t;
    }
    path_.call = *last;
    for (const auto& [rank, t] : members_) path_.call.size = std::max(path_.call.size, t->size);
    path_.end = last->end;
    rank_ = last->rank;
    at_ = path_.end;
    path_.ranks.push_back(rank_);
    while (at_ > path_.begin) step_back();
    std::reverse(path_.legs.begin(), path_.legs.end());
    std::reverse(path_.ranks.begin(), path_.ranks.end());
    find_slack();
    return std::move(path_);
  }

 private:
  /// From when on the rank did what the path may go through: it, and what it did together with others before without a
  /// pause.
  Time begin_of(int rank) const {
    const auto it = members_.find(rank);
    if (it == members_.end()) return path_.begin;
    Time begin = it->second->begin;
    for (const comm::Together* t = it->second; t != nullptr && begin > path_.begin; t = ended_at(rank, begin))
      begin = t->begin;
    return std::max(begin, path_.begin);
  }

  /// What the rank did together with others up to then, longer than an instant.
  const comm::Together* ended_at(int rank, Time end) const {
    const auto& all = history_.together();
    const auto it = std::find_if(all.begin(), all.end(), [&](const comm::Together& t) {
      return t.rank == rank && t.end == end && t.begin < end;
    });
    return it == all.end() ? nullptr : &*it;
  }

  /// Whether the rank was not yet in what is explained.
  bool is_before(int rank, Time end) const {
    const auto it = members_.find(rank);
    return it != members_.end() && end <= it->second->begin;
  }

  void step_back() {
    const Time begin = std::min(begin_of(rank_), at_);
    Time until = at_;  // the rank worked from then on
    const comm::Wait* w = wait_before(until);
    while (w != nullptr && w->end > begin && !decides(*w)) w = wait_before(until = std::min(until, w->begin));
    if (w == nullptr || w->end <= begin) {
      work(begin);
      add_leg({Leg::Kind::late, rank_, -1, path_.begin, at_});
      return;
    }
    work(w->end);
    Leg leg{Leg::Kind::room, rank_, w->peer, std::max(w->begin, begin), at_, w->kind, w->size, {}};
    if (w->what == comm::Wait::For::leaving) {
      leg.kind = Leg::Kind::leaving;
      leg.begin = std::max(w->posted, begin);
      // A library may know without a packet, where nothing of it is explained.
      Leg whole = leg;
      take_apart(whole);
      const bool known = std::none_of(whole.parts.begin(), whole.parts.end(),
                                      [](const auto& part) { return part.first == group_of(Kind::unexplained); });
      if (known) leg = std::move(whole);
    } else if (w->what == comm::Wait::For::envelope) {
      leg.kind = Leg::Kind::message;
      leg.begin = std::max(w->posted, path_.begin);
      take_apart(leg);
      rank_ = w->peer;
      path_.ranks.push_back(rank_);
    }
    add_leg(std::move(leg));
  }

  /// What of the leg's time went where on the way of what told the rank that it is over.
  void take_apart(Leg& leg) const {
    const Path way = walk_message(history_, leg, where_);
    for (const auto& [kind, time] : totals(way)) add(leg.parts, group_of(kind), time);
    for (const Segment& s : way.segments) count(leg.stages, s);
  }

  /// The last wait of the rank that was over by `t`.
  const comm::Wait* wait_before(Time t) const {
    const auto found = waits_.find(rank_);
    if (found == waits_.end()) return nullptr;
    const auto& all = found->second;
    const auto after = std::partition_point(all.begin(), all.end(), [&](const auto* w) { return w->end <= t; });
    return after == all.begin() ? nullptr : *(after - 1);
  }

  /// Whether the rank would have gone on earlier if what it waited for had come earlier.
  static bool decides(const comm::Wait& w) {
    return w.what != comm::Wait::For::envelope || (w.arrived > w.begin && w.posted < w.end);
  }

  /// The rank's own work from `from` to the time reached.
  void work(Time from) {
    Leg leg{Leg::Kind::work, rank_, -1, from, at_};
    Time covered = from;
    for (const comm::Step* s : steps_[rank_]) {
      if (s->begin >= at_) break;
      const Time begin = std::max(s->begin, covered);
      const Time end = std::min(s->end, at_);
      if (end <= begin) continue;
      add(leg.parts, "in the library", begin - covered);
      add(leg.parts, s->name, end - begin);
      covered = end;
    }
    add(leg.parts, "in the library", at_ - covered);
    add_leg(std::move(leg));
  }

  void add_leg(Leg leg) {
    if (leg.begin >= leg.end) return;
    at_ = leg.begin;
    leg.before = leg.kind != Leg::Kind::late && is_before(leg.rank, leg.end);
    path_.legs.push_back(std::move(leg));
  }

  void find_slack() {
    for (const auto& [rank, t] : members_) {
      if (std::find(path_.ranks.begin(), path_.ranks.end(), rank) != path_.ranks.end()) continue;
      const Time early = path_.end - t->end;
      CriticalPath::Slack& s = path_.slack;
      s.least = s.ranks == 0 ? early : std::min(s.least, early);
      s.most = std::max(s.most, early);
      ++s.ranks;
    }
  }

  const History& history_;
  const Where& where_;
  const Members& members_;
  std::map<int, std::vector<const comm::Wait*>> waits_;  // in the order of their ends
  std::map<int, std::vector<const comm::Step*>> steps_;
  CriticalPath path_;
  int rank_ = 0;
  Time at_;
};

}  // namespace

const char* name(Leg::Kind k) {
  static constexpr std::array<const char*, 5> names{"message", "work", "leaving", "room", "late"};
  return names[static_cast<std::size_t>(k)];
}

std::optional<CriticalPath> critical_path(const History& history, const Where& where) {
  const Members members = last_together(history);
  bool forgotten = members.empty() && !history.together().empty();
  for (const auto& [rank, t] : members) forgotten = forgotten || t->begin < history.complete_since();
  if (forgotten)
    throw std::runtime_error(
        fmt::format("what the ranks did together has too many events to explain: only the last {} are kept; "
                    "choose a smaller size with --size",
                    history.limit()));
  if (members.empty()) return std::nullopt;
  return Back(history, where, members).run();
}

std::optional<std::pair<Message, Path>> longest_message(const History& history, const CriticalPath& path,
                                                        const Where& where) {
  const Leg* longest = nullptr;
  for (const Leg& l : path.legs)
    if (l.kind == Leg::Kind::message && (longest == nullptr || l.took() > longest->took())) longest = &l;
  if (longest == nullptr) return std::nullopt;
  Message m;
  m.send = {longest->peer, comm::Call::Kind::send, longest->rank, longest->size, "", longest->begin, longest->end};
  m.receive = {longest->rank, comm::Call::Kind::receive, longest->peer, longest->size, "", longest->begin,
               longest->end};
  m.last_item = last_item(history, where(longest->rank), longest->end);
  return std::pair(m, walk_message(history, *longest, where));
}

}  // namespace tsunagi::explain
