// SPDX-License-Identifier: Apache-2.0
#include "sim/agenda.hpp"

namespace tsunagi::sim {

// A 4-ary heap: alarms know their place, so re-arming needs no search.

void Agenda::up(std::uint32_t i, Entry e) {
  while (i > 0) {
    const std::uint32_t parent = (i - 1) / 4;
    if (!e.before(heap_[parent]) || (parent == 0 && vacant_)) break;
    place(i, heap_[parent]);
    i = parent;
  }
  place(i, e);
}

void Agenda::down(std::uint32_t i, Entry e) {
  const auto n = static_cast<std::uint32_t>(heap_.size());
  for (;;) {
    std::uint32_t best = 4 * i + 1;
    if (best >= n) break;
    if (best + 4 <= n) {  // as in a knock-out tournament
      const std::uint32_t left = best + static_cast<std::uint32_t>(heap_[best + 1].before(heap_[best]));
      const std::uint32_t right = best + 2 + static_cast<std::uint32_t>(heap_[best + 3].before(heap_[best + 2]));
      best = heap_[right].before(heap_[left]) ? right : left;
    } else {
      for (std::uint32_t c = best + 1; c < n; ++c)
        if (heap_[c].before(heap_[best])) best = c;
    }
    if (!heap_[best].before(e)) break;
    place(i, heap_[best]);
    i = best;
  }
  place(i, e);
}

void Agenda::remove(std::uint32_t i) {
  const Entry last = heap_.back();
  heap_.pop_back();
  if (i == heap_.size()) return;
  if (i > 0 && last.before(heap_[(i - 1) / 4]))
    up(i, last);
  else
    down(i, last);
}

void Agenda::arm(Alarm& a, Time when) {
  if (a.order_ == 0) a.order_ = ++orders_;
  std::uint32_t place = a.phase_;
  std::uint32_t order = a.order_;
  if (reverse_ || resume_first_) {  // to test that nothing depends on it
    place = place_of(static_cast<Phase>(a.phase_), when);
    if (reverse_ && a.phase_ != static_cast<std::uint32_t>(Phase::resume)) order = ~order;  // programs have an order
  }
  const Entry e{static_cast<Key>(when.fs()) << 64 | static_cast<std::uint64_t>(place) << 32 | order, &a};
  a.agenda_ = this;
  a.time_ = when;
  if (!a.armed() && vacant_) {
    vacant_ = false;
    down(0, e);
  } else if (!a.armed()) {
    heap_.push_back(e);
    up(static_cast<std::uint32_t>(heap_.size() - 1), e);
  } else if (e.before(heap_[a.slot_])) {
    up(a.slot_, e);
  } else {
    down(a.slot_, e);
  }
  if (!ringing_ && heap_.front().alarm == &a && on_earlier) on_earlier(when);
}

void Agenda::disarm(Alarm& a) {
  if (!a.armed()) return;
  const std::uint32_t slot = a.slot_;
  a.slot_ = Alarm::none;
  remove(slot);
}

void Agenda::ring_next() {
  // What rings leaves its place at the top to the first alarm that it arms: one way down the heap, none up.
  Alarm* a = heap_.front().alarm;
  now_ = heap_.front().time();
  a->slot_ = Alarm::none;
  vacant_ = true;
  ringing_ = true;
  ++wakeups_;
  a->ring();
  if (vacant_) remove(0);
  vacant_ = false;
  ringing_ = false;
}

}  // namespace tsunagi::sim
