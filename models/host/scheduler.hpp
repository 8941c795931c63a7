// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fiber/fiber.hpp"
#include "units/clock.hpp"

namespace tsunagi::host {

/// When a core passes from a program to another one, interrupt handlers apart.
enum class Sharing : std::uint8_t {
  steps,              // between any two steps
  run_to_completion,  // when the program sleeps (waits for an interrupt) or ends
};

/// Who holds a core. A program has it for a whole step; then, and after each visit of a polling loop, it goes on to who
/// waits: interrupt handlers first, then a program that a handler has interrupted, then who asked first, then by name.
/// A handler keeps the core from step to step until it waits for the next interrupt, as does any program that runs to
/// completion; only handlers get in between the visits of such a program's polling loop.
///
/// Nothing depends on the order in which the kernel runs what happens at one time: only who asked earlier gets a core
/// that is released; the program that had it last goes on at once unless somebody else asked earlier; everybody else
/// gets a free core at the first clock edge after asking, when all who asked before it are known.
class Scheduler {
 public:
  /// A program as the core knows it.
  struct Program {
    /// Who had the core from `since` on (null: nobody), while this one waited.
    struct Held {
      Time since;
      const Program* by = nullptr;
    };
    explicit Program(std::string n) : name(std::move(n)) {}
    std::string name;
    Fiber* fiber = nullptr;            // who uses the core now, or did so last
    std::vector<const Fiber*> fibers;  // all that stand for it
    bool handler = false;              // of an interrupt, until it waits for the next one
    bool interrupted = false;
    Time asked;
    Event granted;
    std::vector<Held> waited_for;  // of its last wait, in order
    std::uint64_t last_step = 0;   // its last step, or the packet that it saw last
  };

  Scheduler(std::string core, Clock clock, Sharing sharing)
      : core_(std::move(core)), clock_(clock), sharing_(sharing) {}

  /// Says before the run that one more program, interrupt handlers apart, uses the core. Not needed for the only one;
  /// where there are several the very first step begins at a clock edge, too. Two that begin at one time without having
  /// been told are an error (std::logic_error).
  void add_program() { ++told_; }
  Program& program(Fiber& f);
  /// Whether the program of `f` is the only one that uses the core.
  bool alone(Fiber& f) {
    program(f);
    return programs_.size() == 1 && told_ < 2;
  }
  /// Says that `f` is one of several fibers that stand for one program of that name (one thread that does what several
  /// ranks call), of which never two use the core at a time.
  void part_of(const std::string& program, Fiber& f);

  /// Blocks until it has the core. True if another program (handlers apart) had it before: the core has to switch.
  bool acquire(Program& p);
  /// A step of `p` is over.
  void release(Program& p);
  /// `p` sleeps until an interrupt, or has ended.
  void leave(Program& p);
  /// A visit of a polling loop of `p` is over: lets others in who asked before now and may. True if any did; then `p`
  /// has to `acquire` again.
  bool offer(Program& p) { return let_in(p, may_interrupt_polls(p), Sharing::run_to_completion == sharing_); }
  /// The same for handlers alone, within a step; what is left of it goes before other programs.
  bool preempt(Program& p) { return let_in(p, true, true); }

  /// Since when the first of those waits whom `p`'s polling loop has to let in; max: nobody.
  Time asked_to_poll(const Program& p) const { return asked(may_interrupt_polls(p)); }
  /// Since when a handler waits who takes the core from a computation of `p`; max: none.
  Time asked_to_compute(const Program& p) const {
    return p.handler || sharing_ == Sharing::run_to_completion ? Time::max() : asked(true);
  }
  /// Somebody asks for the core.
  Event& asked_event() { return asked_; }
  /// The first clock edge after `t`.
  Time edge_after(Time t) const { return clock_.at_or_after(t + Time::from_fs(1)); }

 private:
  bool may_interrupt_polls(const Program& p) const { return p.handler || sharing_ == Sharing::run_to_completion; }
  bool keeps(const Program& p) const { return p.handler || sharing_ == Sharing::run_to_completion; }
  Program& add(std::string name);
  Time asked(bool handlers_only) const;
  /// The best of those who asked before `t`, or whom somebody has interrupted; null: none.
  Program* best(Time t, bool handlers_only) const;
  bool let_in(Program& p, bool handlers_only, bool interrupted);
  void wait_for_turn(Program& p);
  void take(Program& p);
  void hand_over(Time t);
  void check_first_use(const Program& p) const;
  std::string why() const;

  std::string core_;
  Clock clock_;
  Sharing sharing_;
  int told_ = 0;
  std::vector<std::unique_ptr<Program>> programs_;
  std::vector<Program*> waiting_;
  Program* owner_ = nullptr;
  Program* last_ = nullptr;          // who had it last
  Program* last_program_ = nullptr;  // handlers apart
  Program* first_ = nullptr;         // who had it first
  Time first_use_;
  Event asked_;
};

}  // namespace tsunagi::host
