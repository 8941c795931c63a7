// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>

namespace tsunagi::runner {

/// The signals by which a user, a terminal that closes or a batch system ends a program.
constexpr int interrupts[] = {SIGINT, SIGTERM, SIGHUP};

/// Whether this process ignores a signal, as nohup lets it.
bool is_ignored(int signal);

/// While it lives, they do not end this process but make a descriptor readable; those that are ignored (nohup) stay so.
/// Several may live, one within another: what none of them takes ends the process when the last of them goes.
class InterruptWatch {
 public:
  /// Throws std::system_error when the system gives no descriptor.
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  int fd() const { return fd_; }
  /// In which they are heard, whoever else watches here.
  const sigset_t& mask_of_children() const { return of_children_; }
  /// Consumes what is pending; true if there was such a signal.
  bool take();

 private:
  sigset_t before_{};
  sigset_t of_children_{};
  int fd_ = -1;
};

}  // namespace tsunagi::runner
