// SPDX-License-Identifier: Apache-2.0
#include "sim/agenda.hpp"

namespace tsunagi::sim {

// A 4-ary heap: the place of each alarm is known by its number, so re-arming needs no search.

void Agenda::enlist(Alarm& a) {
  a.agenda_ = this;
  a.order_ = ++orders_;
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(alarms_.size()));
    alarms_.push_back(nullptr);
    slots_.push_back(0);
  }
  a.number_ = free_.back();
  free_.pop_back();
  alarms_[a.number_] = &a;
}

void Agenda::forget(Alarm& a) {
  disarm(a);
  alarms_[a.number_] = nullptr;
  free_.push_back(a.number_);
}

void Agenda::up(std::uint32_t i, Entry e) {
  while (i > root) {
    const std::uint32_t parent = i / 4 + root - 1;
    if (e >= heap_[parent] || (parent == root && vacant_)) break;
    place(i, heap_[parent]);
    i = parent;
  }
  place(i, e);
}

void Agenda::down(std::uint32_t i, Entry e) {
  const auto n = static_cast<std::uint32_t>(heap_.size());
  for (;;) {
    std::uint32_t best = 4 * (i - root + 1);
    if (best >= n) break;
    if (best + 4 <= n) {  // as in a knock-out tournament
      const std::uint32_t left = best + static_cast<std::uint32_t>(heap_[best + 1] < heap_[best]);
      const std::uint32_t right = best + 2 + static_cast<std::uint32_t>(heap_[best + 3] < heap_[best + 2]);
      best = heap_[right] < heap_[left] ? right : left;
    } else {
      for (std::uint32_t c = best + 1; c < n; ++c)
        if (heap_[c] < heap_[best]) best = c;
    }
    if (heap_[best] >= e) break;
    place(i, heap_[best]);
    i = best;
  }
  place(i, e);
}

void Agenda::remove(std::uint32_t i) {
  const Entry last = heap_.back();
  heap_.pop_back();
  if (i == heap_.size()) return;
  const std::uint32_t parent = i / 4 + root - 1;
  // What rings may be later than what was armed for its instant since; its place is nobody's.
  if (i > root && !(parent == root && vacant_) && last < heap_[parent])
    up(i, last);
  else
    down(i, last);
}

void Agenda::arm(Alarm& a, Time when) {
  if (a.agenda_ != this) enlist(a);
  std::uint32_t place = a.phase_;
  std::uint32_t order = a.order_;
  if (reverse_ || resume_first_) {  // to test that nothing depends on it
    place = place_of(static_cast<Phase>(a.phase_), when);
    constexpr std::uint32_t orders = (1u << 29) - 1;
    if (reverse_ && a.phase_ != static_cast<std::uint32_t>(Phase::resume)) order ^= orders;  // programs have an order
  }
  const Entry e = static_cast<Entry>(when.fs()) << 64 | static_cast<std::uint64_t>(place) << 62 |
                  static_cast<std::uint64_t>(order) << 32 | a.number_;
  a.time_ = when;
  if (!a.armed()) {
    a.armed_ = 1;
    if (vacant_) {
      vacant_ = false;
      down(root, e);
    } else {
      heap_.push_back(e);
      up(static_cast<std::uint32_t>(heap_.size() - 1), e);
    }
  } else {
    const std::uint32_t slot = slots_[a.number_];
    if (e < heap_[slot])
      up(slot, e);
    else
      down(slot, e);
  }
  if (!ringing_ && alarm_of(heap_[root]) == &a && on_earlier) on_earlier(when);
}

void Agenda::disarm(Alarm& a) {
  if (!a.armed()) return;
  a.armed_ = 0;
  remove(slots_[a.number_]);
}

void Agenda::ask_for_next() const {
  constexpr std::ptrdiff_t line = 64;
  constexpr int lines = 6;  // of a channel, what each grant looks at
  const std::uint32_t left = heap_[root + 2] < heap_[root + 1] ? root + 2 : root + 1;
  const std::uint32_t right = heap_[root + 4] < heap_[root + 3] ? root + 4 : root + 3;
  const auto* next = reinterpret_cast<const char*>(alarm_of(heap_[heap_[right] < heap_[left] ? right : left]));
  for (int i = 0; i < lines; ++i) __builtin_prefetch(next + i * line);
}

void Agenda::ring_next() {
  // What rings leaves its place at the top to the first alarm that it arms: one way down the heap, none up.
  Alarm* a = alarm_of(heap_[root]);
  now_ = time_of(heap_[root]);
  a->armed_ = 0;
  vacant_ = true;
  ringing_ = true;
  ++wakeups_;
  if (heap_.size() > many) ask_for_next();
  a->ring();
  if (vacant_) remove(root);
  vacant_ = false;
  ringing_ = false;
}

}  // namespace tsunagi::sim
