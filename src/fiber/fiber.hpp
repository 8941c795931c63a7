// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "units/time.hpp"

namespace tsunagi {

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
  /// Of one simulation's programs each has its own; it decides who goes first where nothing else does. Outlives the
  /// run.
  virtual std::string_view name() const = 0;
  virtual Time now() const = 0;
  /// Blocks until `when` (returns at once if it has passed).
  virtual void wait_until(Time when) = 0;
  /// Blocks until the event is notified. `why` is shown when nothing can move any more.
  void wait(Event& e, std::string why) {
    join(e);
    why_ = std::move(why);
    suspend();
    why_.clear();
  }
  /// Blocks until one of the events is notified or `until` has come (`Time::max()`: whatever time passes). Which it was
  /// is not told: who waits looks at what it waits for.
  void wait_any(const std::vector<Event*>& events, Time until, std::string why) {
    for (Event* e : events) join(*e);
    why_ = std::move(why);
    if (until == Time::max())
      suspend();
    else
      suspend_until(until);
    leave();
    why_.clear();
  }
  /// The same where why takes longer to say than to wait: `why` is called when somebody asks.
  void wait_any(const std::vector<Event*>& events, Time until, const std::function<std::string()>& why) {
    const Asked asked(*this, why);
    wait_any(events, until, std::string());
  }
  void wait_for(Time duration) { wait_until(now() + duration); }
  std::string waits_for() const { return asked_ != nullptr ? (*asked_)() : why_; }
  /// Does `f` when the program has ended (but not when it is ended from outside).
  void at_end(std::function<void()> f) { at_end_.push_back(std::move(f)); }

 protected:
  friend class Event;
  /// Blocks until `wake`.
  virtual void suspend() = 0;
  /// Blocks until `wake` or `when`, whichever comes first.
  virtual void suspend_until(Time when) = 0;
  virtual void wake() = 0;
  /// To be called once, behind the program's last instruction.
  void end() {
    for (const std::function<void()>& f : at_end_) f();
  }

 private:
  struct Asked {
    Asked(Fiber& f, const std::function<std::string()>& why) : fiber(f) { f.asked_ = &why; }
    ~Asked() { fiber.asked_ = nullptr; }
    Fiber& fiber;
  };
  void join(Event& e) {
    // Of the two lists the short one: a fiber may wait for thousands of events, but few wait for one.
    if (std::find(e.waiting_.begin(), e.waiting_.end(), this) != e.waiting_.end()) return;
    e.waiting_.push_back(this);
    awaited_.push_back(&e);
  }
  /// Waits for none of them any more.
  void leave() {
    for (Event* e : awaited_)
      e->waiting_.erase(std::remove(e->waiting_.begin(), e->waiting_.end(), this), e->waiting_.end());
    awaited_.clear();
  }

  std::string why_;
  const std::function<std::string()>* asked_ = nullptr;  // says why instead
  std::vector<Event*> awaited_;
  std::vector<std::function<void()>> at_end_;
};

inline void Event::notify() {
  std::vector<Fiber*> woken;
  woken.swap(waiting_);
  for (Fiber* f : woken) {
    f->leave();
    f->wake();
  }
}

}  // namespace tsunagi
