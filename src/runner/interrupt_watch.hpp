// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>

namespace tsunagi::runner {

/// While it lives, Ctrl-C does not end this process but makes a descriptor readable.
class InterruptWatch {
 public:
  /// Throws std::system_error when the system gives no descriptor.
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  int fd() const { return fd_; }
  const sigset_t& mask_before() const { return before_; }
  /// Consumes what is pending; true if there was a Ctrl-C.
  bool take();

 private:
  sigset_t before_{};
  int fd_ = -1;
};

}  // namespace tsunagi::runner
