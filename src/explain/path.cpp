// SPDX-License-Identifier: Apache-2.0
#include "explain/path.hpp"

#include <algorithm>
#include <string>

#include "explain/crossing.hpp"

namespace tsunagi::explain {
namespace {

/// One thing that an item did: a stage or a hop.
struct Spell {
  const net::StageEvent* stage = nullptr;
  const net::Hop* hop = nullptr;
  bool by_head = false;  // the hop is left by the packet's head
  Time begin;
  bool just_over = false;  // ends at the time asked for
  explicit operator bool() const { return stage != nullptr || hop != nullptr; }
  /// It explains the item's time better: over just then, or else begun later.
  bool better_than(const Spell& o) const {
    if (!o || just_over != o.just_over) return !o || just_over;
    return begin > o.begin;
  }
};

Kind kind_of(net::Stage s) {
  switch (s) {
    case net::Stage::pipeline:
      return Kind::pipeline;
    case net::Stage::memory:
      return Kind::memory;
    case net::Stage::tag:
      return Kind::tag;
    case net::Stage::buffer:
      return Kind::buffer;
    case net::Stage::poll:
      return Kind::poll;
    case net::Stage::step:
      return Kind::step;
    case net::Stage::core:
      return Kind::core;
  }
  return Kind::unexplained;
}

class Walk {
 public:
  Walk(const History& history, Time from, Time to) : history_(history), from_(from), at_(to) { path_ = {from, to, {}}; }

  Path run(std::uint64_t item) {
    item_ = item;
    int turns = 0;  // at the same time: events that name each other in a circle explain nothing
    while (at_ > from_) {
      const Spell s = spell(item_);
      if (s) {
        go_back_through(s);
        turns = 0;
        continue;
      }
      const std::uint64_t cause = cause_of(item_);
      if (cause != 0 && ++turns < most_turns) {
        item_ = cause;
      } else {
        bridge();
        turns = 0;
      }
    }
    std::reverse(path_.segments.begin(), path_.segments.end());
    return std::move(path_);
  }

  void go_back_through(const Spell& s) {
    if (s.stage != nullptr) {
      const net::StageEvent& e = *s.stage;
      return add({std::string(e.place), e.name, kind_of(e.stage), e.begin, e.end});
    }
    std::vector<Segment> parts = crossing(history_, *s.hop, s.by_head);
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) add(std::move(*part));
  }

 private:
  static constexpr int most_turns = 10'000;

  /// Prepends what of a segment lies before the time reached.
  void add(Segment s) {
    s.begin = std::max(s.begin, from_);
    s.end = std::min(s.end, at_);
    if (s.begin >= s.end) return;
    at_ = s.begin;
    path_.segments.push_back(std::move(s));
  }

  /// What the item did just before the time reached.
  Spell spell(std::uint64_t item) const {
    Spell best;
    for (const net::StageEvent* e : history_.stages_of(item)) {
      const Spell s{e, nullptr, false, e->begin, e->end == at_};
      if (e->begin < at_ && at_ <= e->end && s.better_than(best)) best = s;
    }
    for (const net::Hop* h : history_.hops_of(item)) {
      const bool by_head = at_ == h->arrived.head && h->arrived.head < h->arrived.tail;
      const Spell s{nullptr, h, by_head, h->ready.head, by_head || at_ == h->arrived.tail};
      if (h->ready.head < at_ && at_ <= h->arrived.tail && s.better_than(best)) best = s;
    }
    return best;
  }

  /// The packet or step that let the item begin what it began at the time reached, or begin at all if that was later.
  std::uint64_t cause_of(std::uint64_t item) const {
    for (const net::StageEvent* e : history_.stages_of(item))
      if (e->begin == at_ && e->parent != 0) return e->parent;
    return began_before(item) ? 0 : first_cause(item);
  }

  bool began_before(std::uint64_t item) const {
    for (const net::StageEvent* e : history_.stages_of(item))
      if (e->begin < at_) return true;
    for (const net::Hop* h : history_.hops_of(item))
      if (h->ready.head < at_) return true;
    return false;
  }

  std::uint64_t first_cause(std::uint64_t item) const {
    std::uint64_t cause = 0;
    Time begin = Time::max();
    const auto offer = [&](std::uint64_t parent, Time t) {
      if (parent == 0 || t >= begin) return;
      cause = parent;
      begin = t;
    };
    for (const net::StageEvent* e : history_.stages_of(item)) offer(e->parent, e->begin);
    for (const net::Hop* h : history_.hops_of(item)) offer(h->parent, h->ready.head);
    return cause;
  }

  /// Nothing tells what the item did: goes on where it, or the nearest of its causes that did anything, ended last.
  void bridge() {
    Time end = from_;
    bool found = false;
    std::uint64_t item = item_;
    for (int i = 0; i < most_turns && item != 0 && !found; ++i, item = first_cause(item)) {
      const auto over = [&](Time t) {
        if (t >= at_ || t <= end) return;
        end = t;
        found = true;
        item_ = item;
      };
      for (const net::StageEvent* e : history_.stages_of(item)) over(e->end);
      for (const net::Hop* h : history_.hops_of(item)) over(h->arrived.tail);
    }
    add({"unexplained", "unexplained", Kind::unexplained, end, at_});
  }

  const History& history_;
  Time from_;
  Time at_;
  std::uint64_t item_ = 0;
  Path path_;
};

}  // namespace

Path walk(const History& history, std::uint64_t last_item, Time from, Time to) {
  return Walk(history, from, to).run(last_item);
}

Path walk(const History& history, const net::Hop& last, Time from) {
  Walk w(history, from, last.wire.head);
  w.go_back_through({nullptr, &last, false, last.ready.head, false});
  return w.run(last.item);
}

}  // namespace tsunagi::explain
