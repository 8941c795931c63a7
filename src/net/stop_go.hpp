// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "flow/ring.hpp"
#include "units/time.hpp"

namespace tsunagi::net {

/// Stop/go flow control of one class (Myrinet: Boden et al., IEEE Micro 15(1), 1995): a receiver whose buffer fills up
/// to `stop` units tells the sender to stop, and to go on when it has drained to `go`. Either is heard `delay` later,
/// by symbols that pass between the bytes of the reverse direction and take nothing of it. Pure arithmetic on what is
/// known; a release that gets known later can only let the sender go on earlier.
class StopGo {
 public:
  /// 0 <= go < stop; delay > 0, else what happens at a time would depend on who asks first.
  StopGo(std::int64_t stop, std::int64_t go, Time delay) : stop_(stop), go_(go), delay_(delay) {}

  /// `units` will have arrived, or have left, at `when`.
  void arrives(Time when, std::int64_t units) { flow::push_by_time(events_, Event{when, units}); }
  void leaves(Time when, std::int64_t units) { flow::push_by_time(events_, Event{when, -units}); }

  /// Whether the sender may send at `t`, as far as is known; asks for times before `forget`'s are over.
  bool open(Time t) const {
    State s = now_;
    for (std::size_t i = 0; i < events_.size() && events_[i].when + delay_ <= t; i = step(i, s)) {
    }
    return !s.stopped;
  }
  /// When it may, from `t` on, as far as is known; max: not before something leaves that is not known yet.
  Time next_open(Time t) const {
    State s = now_;
    for (std::size_t i = 0; i < events_.size();) {
      const Time heard = events_[i].when + delay_;
      if (heard > t && !s.stopped) return t;
      i = step(i, s);
      if (heard > t && !s.stopped) return heard;
    }
    return s.stopped ? Time::max() : t;
  }
  /// Nothing is asked, and nothing gets known, of times before `t` any more.
  void forget(Time t) {
    while (!events_.empty() && events_.front().when + delay_ <= t)
      for (std::size_t n = step(0, now_); n > 0; --n) events_.pop_front();
  }
  /// All that arrived has left.
  bool empty() const {
    State s = now_;
    for (std::size_t i = 0; i < events_.size(); i = step(i, s)) {
    }
    return s.units == 0;
  }

 private:
  struct Event {
    Time when;
    std::int64_t units;
  };
  struct State {
    std::int64_t units = 0;
    bool stopped = false;
  };
  /// Applies event `i` and what happens at the same time; returns the next one.
  std::size_t step(std::size_t i, State& s) const {
    const Time when = events_[i].when;
    for (; i < events_.size() && events_[i].when == when; ++i) s.units += events_[i].units;
    if (s.units >= stop_) s.stopped = true;
    if (s.units <= go_) s.stopped = false;
    return i;
  }
  std::int64_t stop_;
  std::int64_t go_;
  Time delay_;
  State now_;  // by all that is forgotten
  flow::Ring<Event> events_;
};

}  // namespace tsunagi::net
