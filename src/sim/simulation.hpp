// SPDX-License-Identifier: Apache-2.0
// The kernel as the rest of the house sees it. Only src/sim and models/tlm name SystemC.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fiber/fiber.hpp"
#include "sim/agenda.hpp"
#include "units/time.hpp"

namespace tsunagi::sim {

class Module;

/// Why a fiber waits, asked only when nothing can move any more.
struct Stuck {
  std::string who;
  std::string waits_for;
};

/// Whom the kernel's time belongs to.
enum class Kernel : std::uint8_t {
  own,     ///< nobody else has processes: time is the agenda's, and the kernel's stands still
  shared,  ///< others' modules and clocks live beside: our time is never another than the kernel's
};

/// How much stack a process of ours has.
enum class Stack : std::uint8_t {
  small,      ///< 64 KiB: our own code needs no more
  of_kernel,  ///< what the kernel gives its threads, for who calls somebody else's code
};

/// Thrown out of a run that somebody has stopped from outside.
struct Stopped {};

/// One simulation, once a process. Not copyable; everything in it is built before `run`, inside a module of the
/// design hierarchy: what is built from its construction to `end_construction` lies there.
class Simulation {
 public:
  /// Its module is `name`, below whatever is being built; our own processes live in its child "agenda".
  /// Throws std::runtime_error if the kernel's time resolution is no longer to be chosen and not 1 fs,
  /// std::invalid_argument if there is a module of that name.
  explicit Simulation(const std::string& name = "tsunagi", Kernel kernel = Kernel::own);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  Agenda& agenda() { return agenda_; }
  Time now() const { return agenda_.now(); }
  /// The module that everything is built in, "tsunagi".
  const Module& root() const;
  bool shares_kernel() const;
  /// One copy of a text that many parts have in common (names of ports, kinds of modules), as long as the simulation
  /// lives.
  const std::string& shared_text(std::string text) { return *texts_.insert(std::move(text)).first; }
  /// Everything is built: what comes from now on lies beside the simulation's module. Called by `run`, if not before.
  void end_construction();

  /// Blocks until all that arrives at this instant has been told: what a program that looks finds then does not depend
  /// on whom the kernel runs first. Takes no time.
  void settle(Fiber& f);

  /// Programs that the kernel has stacks for: two memory mappings each, of which Linux gives a process 65,530.
  static constexpr int most_programs = 30'000;
  /// A blocking program of its own (64 KiB stack) that starts at time 0.
  void spawn(std::string name, std::function<void(Fiber&)> body);
  /// The same for a program that waits for work for ever, like a driver: a run may end while it does.
  void spawn_service(std::string name, std::function<void(Fiber&)> body, Stack stack = Stack::small);
  /// Somebody outside looks at `now`, in femtoseconds, and may set `stop`, in memory that outlives the run: it then
  /// ends with `Stopped` before time passes again.
  void oversee(std::atomic<std::int64_t>& now, const std::atomic<bool>& stop);
  /// Starts the kernel, until nothing of ours can move or `limit` is reached; a shared kernel is paused (sc_pause)
  /// when all programs have ended and nothing of ours is under way. Rethrows what a fiber or an alarm threw.
  /// Returns false when the limit was hit first.
  bool run(Time limit);
  /// The same after somebody else has started the kernel: whether all programs have ended, and rethrows what was
  /// thrown.
  bool ended() const;
  /// How often the kernel has called the agenda so far.
  std::uint64_t kernel_passes() const;
  /// Fibers that have not ended, services apart.
  std::vector<Stuck> unfinished() const;
  /// A model asked for what nobody answers, and is not told. Where all models are ours, a std::runtime_error; in a
  /// shared kernel a warning (sc_report), the first ten times, and counted.
  void complain(const std::string& what);
  std::int64_t complaints() const { return complaints_; }
  /// In a shared kernel: transactions of others that wait for the run's end, before which none begins any more.
  int held() const;
  /// Lets programs, and in a shared kernel others' processes, of an instant run before our alarms. Nothing may depend
  /// on it; to test that. Before anything is armed.
  void delay_alarms(bool on);

 private:
  friend class Module;
  friend class Visit;
  struct Impl;
  Agenda agenda_;
  std::string root_name_;  // as SystemC knows it
  std::int64_t complaints_ = 0;
  std::set<std::string> texts_;
  std::unique_ptr<Impl> impl_;
};

/// Somebody else's SC_THREAD inside our simulation, in a shared kernel: in the visit's life a run does not end. When
/// all programs have ended, a visit waits before it begins until the kernel goes on after its pause; but not that of
/// somebody else's code that a fiber of ours has called, whose end the run's end waits for.
class Visit {
 public:
  explicit Visit(Simulation& simulation);
  /// The same for a transaction of others that `fiber` of ours carries out.
  Visit(Simulation& simulation, Fiber& fiber);
  ~Visit();
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;
  /// To be called after each wait of the visitor, and of our fibers in somebody else's code: the simulation's time
  /// becomes the kernel's again.
  static void resumed(Simulation& simulation);

 private:
  Simulation& simulation_;
};

}  // namespace tsunagi::sim
