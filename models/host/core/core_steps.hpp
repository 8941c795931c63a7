// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "fiber/fiber.hpp"
#include "models/host/core_config.hpp"
#include "models/host/scheduler.hpp"
#include "net/device.hpp"

namespace tsunagi::host {

/// The steps of the programs on a core, one at a time: gets the core for each (Scheduler says whose turn it is), and
/// tells observers of a program's steps, of which each follows the one before, and of what it waited for between them.
class CoreSteps {
 public:
  using Program = Scheduler::Program;
  /// The time of a step that is told later.
  struct Piece {
    net::Stage stage;
    const char* what;
    Time begin;
    Time end;
  };
  /// The core, for as long as it lives: one step.
  struct Hold {
    Hold(CoreSteps& s, Fiber& f) : steps(s), program(s.scheduler_.program(f)) { steps.take(program); }
    ~Hold() { steps.scheduler_.release(program); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    CoreSteps& steps;
    Program& program;
  };

  /// `core` and `c` outlive it.
  CoreSteps(net::Device& core, const CoreConfig& c);
  Scheduler& scheduler() { return scheduler_; }
  /// Blocks until the program has the core, and tells what it waited for.
  void take(Program& p);
  /// The same, to be told later.
  void take(Program& p, std::vector<Piece>& told);
  /// Tells a step of the program, which follows its last one, if it takes time.
  void tell(Program& p, net::Stage stage, const char* what, Time begin, Time end);

 private:
  const char* held_by(const Program* p);

  net::Device& core_;
  const CoreConfig& config_;
  Clock clock_;
  Scheduler scheduler_;
};

}  // namespace tsunagi::host
