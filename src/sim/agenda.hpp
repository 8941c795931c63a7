// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <new>
#include <vector>

#include "units/time.hpp"

namespace tsunagi::sim {

class Agenda;

/// At one time all arrivals are told before anything is granted, so that a grant sees every competitor of its instant
/// whatever order they ring in; programs go on behind both.
enum class Phase : std::uint8_t { arrive = 1, grant = 2, resume = 3 };

/// Something that can be woken once at a time. Intrusive: arming allocates nothing, but the first time, when the agenda
/// gives it a number, until it is gone. So an agenda that it was ever armed in outlives it.
class Alarm {
 public:
  explicit Alarm(Phase phase) : order_(0), phase_(static_cast<std::uint32_t>(phase)), armed_(0) {}
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;
  /// Armed: it is disarmed; its number is free again. A run may end at any time, and devices let go of what they hold
  /// as they are destroyed, which arms others' alarms.
  virtual ~Alarm();
  bool armed() const { return armed_ != 0; }
  Time time() const { return time_; }

 protected:
  virtual void ring() = 0;

 private:
  friend class Agenda;
  Agenda* agenda_ = nullptr;  // that knows it, once it has been armed
  Time time_;
  std::uint32_t number_ = 0;  // there
  std::uint32_t order_ : 29;
  std::uint32_t phase_ : 2;
  std::uint32_t armed_ : 1;
};

/// The queue of armed alarms. Alarms of one time and phase ring in an order that no result may depend on
/// (`reverse_ties` exists to test that).
class Agenda {
 public:
  /// Arms or re-arms; `when` must not lie in the past.
  void arm(Alarm& a, Time when);
  /// Arms unless it already rings at or before `when`.
  void arm_by(Alarm& a, Time when) {
    if (!a.armed() || when < a.time_) arm(a, when);
  }
  void disarm(Alarm& a);
  bool empty() const { return heap_.size() == root; }
  /// When the next one rings; max: none does.
  Time next() const { return empty() ? Time::max() : time_of(heap_[root]); }
  Time now() const { return now_; }
  void set_now(Time now) { now_ = now; }
  std::uint64_t wakeups() const { return wakeups_; }
  void reverse_ties(bool on) { reverse_ = on; }
  /// Programs go on before the alarms of the instant that they have waited for, not behind; to test that nothing
  /// depends on it, from before anything is armed.
  void resume_first(bool on) { resume_first_ = on; }

  /// Whether that is a program's turn.
  bool next_resumes() const {
    return !empty() && alarm_of(heap_[root])->phase_ == static_cast<std::uint32_t>(Phase::resume);
  }

  /// Rings the next one, of which the time is `now` from then on; there is one.
  void ring_next();
  /// Rings everything due at `now`, including what gets armed for `now` meanwhile.
  void ring_due(Time now) {
    while (next() <= now) ring_next();
    now_ = now;
  }
  /// `now` is `t`, before which nothing rings: counted as a wake-up of who went on without one.
  void skip_to(Time t) {
    now_ = t;
    ++wakeups_;
  }
  /// Called when the earliest time got earlier, but for what alarms do that ring.
  std::function<void(Time)> on_earlier;

 private:
  friend class Alarm;
  /// Time, then phase, then order, then the alarm's number: in one comparison without branches, of which nobody could
  /// foresee any. All that the heap looks at stands in 16 bytes of it: alarms lie all over the machine's memory.
  __extension__ using Entry = unsigned __int128;
  static Time time_of(Entry e) { return Time::from_fs(static_cast<std::int64_t>(e >> 64)); }
  static std::uint32_t number_of(Entry e) { return static_cast<std::uint32_t>(e); }
  Alarm* alarm_of(Entry e) const { return alarms_[number_of(e)]; }
  /// With so many armed what rings next is in no cache.
  static constexpr std::size_t many = 1024;
  /// Asks for the memory of what rings next by what is armed now, while something else rings.
  void ask_for_next() const;
  void enlist(Alarm& a);
  void forget(Alarm& a);
  /// Within an instant; 0 is that of programs which go on first.
  std::uint32_t place_of(Phase p, Time when) const {
    return p == Phase::resume && resume_first_ && when > now_ ? 0 : static_cast<std::uint32_t>(p);
  }
  void up(std::uint32_t i, Entry e);
  void down(std::uint32_t i, Entry e);
  void place(std::uint32_t i, Entry e) {
    heap_[i] = e;
    slots_[number_of(e)] = i;
  }
  void remove(std::uint32_t i);

  /// Memory from the beginning of a line of the cache on.
  template <class T>
  struct InLines {
    using value_type = T;
    static constexpr std::align_val_t line{64};
    InLines() = default;
    template <class U>
    explicit InLines(const InLines<U>&) {}
    T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), line)); }
    void deallocate(T* p, std::size_t) { ::operator delete(p, line); }
    friend bool operator==(const InLines&, const InLines&) { return true; }
    friend bool operator!=(const InLines&, const InLines&) { return false; }
  };
  /// The heap begins here, so that the four children of an entry, those from 4 (i - root + 1) on, are a line of the
  /// cache.
  static constexpr std::uint32_t root = 3;
  std::vector<Entry, InLines<Entry>> heap_ = decltype(heap_)(root);
  std::vector<std::uint32_t> slots_;  // of each alarm, by its number: where it stands, if it is armed
  std::vector<Alarm*> alarms_;        // by number
  std::vector<std::uint32_t> free_;   // numbers of alarms that are gone
  Time now_;
  std::uint64_t wakeups_ = 0;
  std::uint32_t orders_ = 0;
  bool reverse_ = false;
  bool resume_first_ = false;
  bool ringing_ = false;
  bool vacant_ = false;  // the top of the heap rings: its place is free
};

inline Alarm::~Alarm() {
  if (agenda_ != nullptr) agenda_->forget(*this);
}

}  // namespace tsunagi::sim
