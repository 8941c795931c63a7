// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "units/time.hpp"

namespace tsunagi::comm {

class Fiber;

/// Something that happens and that fibers can wait for. `notify` wakes all who wait
/// now; it is not remembered.
class Event {
 public:
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  void notify();
  bool awaited() const { return !waiting_.empty(); }

 private:
  friend class Fiber;
  std::vector<Fiber*> waiting_;
};

/// A blocking program's view of time. Programs and libraries wait on the fiber they are
/// handed; src/sim implements it over the kernel, unit tests fake it.
class Fiber {
 public:
  virtual ~Fiber() = default;
  virtual Time now() const = 0;
  /// Blocks until `when` (returns at once if it has passed).
  virtual void wait_until(Time when) = 0;
  /// Blocks until the event is notified. `why` is shown when nothing can move any more.
  void wait(Event& e, std::string why) {
    e.waiting_.push_back(this);
    why_ = std::move(why);
    suspend();
    why_.clear();
  }
  void wait_for(Time duration) { wait_until(now() + duration); }
  const std::string& waits_for() const { return why_; }

 protected:
  friend class Event;
  /// Blocks until `wake`.
  virtual void suspend() = 0;
  virtual void wake() = 0;

 private:
  std::string why_;
};

inline void Event::notify() {
  std::vector<Fiber*> woken;
  woken.swap(waiting_);
  for (Fiber* f : woken) f->wake();
}

}  // namespace tsunagi::comm
