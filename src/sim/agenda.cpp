// SPDX-License-Identifier: Apache-2.0
#include "sim/simulation.hpp"

namespace tsunagi::sim {

// A 4-ary heap: alarms know their place, so re-arming needs no search.

bool Agenda::before(const Alarm& a, const Alarm& b) const {
  if (a.time_ != b.time_) return a.time_ < b.time_;
  if (a.phase_ != b.phase_) return a.phase_ < b.phase_;
  return reverse_ ? a.order_ > b.order_ : a.order_ < b.order_;
}

void Agenda::place(Alarm* a, std::uint32_t i) {
  heap_[i] = a;
  a->slot_ = i;
}

void Agenda::up(std::uint32_t i) {
  Alarm* a = heap_[i];
  while (i > 0) {
    const std::uint32_t parent = (i - 1) / 4;
    if (!before(*a, *heap_[parent])) break;
    place(heap_[parent], i);
    i = parent;
  }
  place(a, i);
}

void Agenda::down(std::uint32_t i) {
  Alarm* a = heap_[i];
  const auto n = static_cast<std::uint32_t>(heap_.size());
  for (;;) {
    std::uint32_t best = 4 * i + 1;
    if (best >= n) break;
    const std::uint32_t end = best + 4 < n ? best + 4 : n;
    for (std::uint32_t c = best + 1; c < end; ++c)
      if (before(*heap_[c], *heap_[best])) best = c;
    if (!before(*heap_[best], *a)) break;
    place(heap_[best], i);
    i = best;
  }
  place(a, i);
}

void Agenda::remove(std::uint32_t i) {
  heap_[i]->slot_ = Alarm::none;
  Alarm* last = heap_.back();
  heap_.pop_back();
  if (i == heap_.size()) return;
  place(last, i);
  up(i);
  down(last->slot_);
}

void Agenda::arm(Alarm& a, Time when) {
  if (a.order_ == 0) a.order_ = ++orders_;
  if (a.armed()) {
    const bool earlier = when < a.time_;
    a.time_ = when;
    if (earlier)
      up(a.slot_);
    else
      down(a.slot_);
  } else {
    a.time_ = when;
    heap_.push_back(&a);
    a.slot_ = static_cast<std::uint32_t>(heap_.size() - 1);
    up(a.slot_);
  }
  if (!ringing_ && heap_.front() == &a && on_earlier) on_earlier(when);
}

void Agenda::disarm(Alarm& a) {
  if (a.armed()) remove(a.slot_);
}

void Agenda::ring_due(Time now) {
  now_ = now;
  ringing_ = true;
  while (!heap_.empty() && heap_.front()->time_ <= now) {
    Alarm* a = heap_.front();
    remove(0);
    ++wakeups_;
    a->ring();
  }
  ringing_ = false;
}

}  // namespace tsunagi::sim
