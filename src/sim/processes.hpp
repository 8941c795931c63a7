// SPDX-License-Identifier: Apache-2.0
// For src/sim alone: whoever includes it sees SystemC.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <string>
#include <systemc>
#include <vector>

#include "fiber/fiber.hpp"
#include "sim/simulation.hpp"

namespace tsunagi::sim {

class KernelFiber;

/// The one module of ours with processes: the agenda's method and the fibers' threads. Knows what is under way.
class Processes final : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Processes);
  Processes(const sc_core::sc_module_name& name, Agenda& agenda, Kernel kernel);
  ~Processes() override;
  const char* kind() const override { return "agenda"; }

  void add(std::string name, std::function<void(Fiber&)> body, bool service, Stack stack);
  /// Starts the kernel. True unless `limit` came first.
  bool run(Time limit);
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }
  std::vector<Stuck> unfinished() const;
  Kernel kernel() const { return kernel_; }
  std::uint64_t passes() const { return passes_; }
  void delay_alarms(bool on);
  void oversee(std::atomic<std::int64_t>& now, const std::atomic<bool>& stop) {
    told_now_ = &now;
    stop_ = &stop;
  }
  /// Time is `now`: tells who oversees the run, and does what he asks.
  void pass(Time now) const {
    if (stop_ == nullptr) return;
    told_now_->store(now.fs(), std::memory_order_relaxed);
    if (stop_->load(std::memory_order_relaxed)) throw Stopped{};
  }

  /// What fibers and visitors tell: one more or less runs.
  void began() { ++active_; }
  void paused();
  /// A fiber goes on at this instant, when the agenda has told all that it has of it.
  void resumes() {
    began();
    resumes_ = true;
  }
  /// Whether nothing happens from now until `t` but that the fiber that asks, which runs, goes on then; it is `t` now.
  bool skip_to(Time t) {
    if (kernel_ == Kernel::shared || active_ > 1 || t >= limit_ || agenda_.next() <= t) return false;
    agenda_.skip_to(t);
    pass(t);
    return true;
  }
  void program_began() {
    has_programs_ = true;
    ++programs_;
  }
  void program_ended() { --programs_; }
  /// A visitor comes in, as soon as no run is being brought to its end; at once if it is a process of ours in somebody
  /// else's code, which the run's end waits for.
  void admit();
  /// The same for a visitor that `fiber` of ours stands in for; while it is held the fiber is not under way.
  void admit(Fiber& fiber);
  /// The agenda's time becomes that of a shared kernel.
  void synchronise();
  int held() const { return held_; }
  /// All programs have ended and nothing is under way.
  bool ended() const { return programs_ == 0 && active_ == 0 && agenda_.empty(); }

 private:
  void before_end_of_elaboration() override;
  void schedule(Time when);
  void dispatch();
  template <class F>
  void guard(F&& f);
  void start(KernelFiber& fiber);
  void pause_if_ended();
  void reopen();
  /// The programs have ended, and the kernel has not gone on after its pause.
  bool closed() const { return has_programs_ && programs_ == 0 && !reopened_; }

  Agenda& agenda_;
  Kernel kernel_;
  Time limit_ = Time::max();
  std::uint64_t passes_ = 0;
  std::atomic<std::int64_t>* told_now_ = nullptr;  // both or neither
  const std::atomic<bool>* stop_ = nullptr;
  bool resumes_ = false;  // fibers do, before the agenda goes on
  int active_ = 0;
  int programs_ = 0;
  int held_ = 0;
  bool has_programs_ = false;
  bool over_ = false;      // the programs' run has been paused at its end
  bool reopened_ = false;  // and the kernel has gone on
  bool elaborated_ = false;
  bool delay_ = false;
  bool delayed_ = false;
  sc_core::sc_event due_;
  sc_core::sc_event goes_on_;   // the kernel does, after the pause
  sc_core::sc_event admitted_;  // who is held goes on
  Event fibers_admitted_;
  std::list<KernelFiber> fibers_;  // their addresses stay
  std::exception_ptr error_;
};

}  // namespace tsunagi::sim
