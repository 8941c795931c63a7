// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <string>

#include "runner/oversight.hpp"
#include "runner/runner.hpp"

namespace tsunagi::runner {

/// One running simulation process. Destroying it kills the process if it is still there.
class Child {
 public:
  /// Forks; the child makes its config, simulates it with the findings of the attempt before, sends its outcome through
  /// the pipe and exits. `signals` is the mask that the child restores. Throws std::system_error.
  Child(const std::function<RunConfig()>& config, const std::string& findings, const Simulate& simulate,
        const sigset_t& signals);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// File descriptor that is readable when the child wrote or ended.
  int fd() const { return fd_; }
  double seconds_since_start() const;
  /// Reads what is there; false once the child has closed its end.
  bool read_some();
  /// Waits for its end and tells what came of it. Once.
  Outcome finish();
  /// Kills it and tells that it ran out of time. Once.
  Outcome time_out(double limit_s);
  /// Memory that it occupies now; zero if it cannot be told.
  Bytes resident() const;
  /// Kills it and tells that it became too large. Once.
  Outcome too_large(Bytes limit);
  /// What is told of a child that became too large.
  static Outcome too_large_outcome(Bytes limit, const report::Cost& cost);
  /// How far it is, seen from outside.
  Glance glance() const;
  /// It is to end soon, and to hand over what it has.
  void ask_to_stop() { oversight_->stop = true; }
  /// Waits so long for it to stop, then kills it; tells what came of it. Once.
  Outcome interrupt(std::chrono::steady_clock::time_point deadline);

 private:
  /// Reaps the child; its wait status, with CPU time and memory put into `cost`.
  int reap(report::Cost& cost);
  Outcome kill_and_reap(Status status, std::string message);

  SharedOversight oversight_;
  pid_t pid_ = -1;
  int fd_ = -1;
  std::string received_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace tsunagi::runner
