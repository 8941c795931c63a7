// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/prctl.h>
#include <sys/wait.h>

#include <cerrno>

namespace tsunagi::test {

/// While it lives, processes that a program under test leaves behind become children of this one.
class Orphans {
 public:
  Orphans() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }
  ~Orphans() { ::prctl(PR_SET_CHILD_SUBREAPER, 0); }
  Orphans(const Orphans&) = delete;
  Orphans& operator=(const Orphans&) = delete;

  /// Whether no process is left, neither running nor dead, of those that were started.
  bool none() const { return ::waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD; }
};

}  // namespace tsunagi::test
