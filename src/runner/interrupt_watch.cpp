// SPDX-License-Identifier: Apache-2.0
#include "runner/interrupt_watch.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace tsunagi::runner {

bool is_ignored(int signal) {
  struct sigaction now {};
  return ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

InterruptWatch::InterruptWatch() {
  sigset_t interrupt;
  sigemptyset(&interrupt);
  for (const int signal : interrupts)  // one that is blocked is kept even if it is to be ignored
    if (!is_ignored(signal)) sigaddset(&interrupt, signal);
  ::sigprocmask(SIG_BLOCK, &interrupt, &before_);
  of_children_ = before_;
  for (const int signal : interrupts)
    if (sigismember(&interrupt, signal) == 1) sigdelset(&of_children_, signal);
  fd_ = ::signalfd(-1, &interrupt, SFD_CLOEXEC | SFD_NONBLOCK);
  if (fd_ < 0) {
    const int error = errno;
    ::sigprocmask(SIG_SETMASK, &before_, nullptr);
    throw std::system_error(error, std::generic_category(), "signalfd");
  }
}

InterruptWatch::~InterruptWatch() {
  ::close(fd_);
  ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

bool InterruptWatch::take() {
  signalfd_siginfo info{};
  bool any = false;
  while (::read(fd_, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) any = true;
  return any;
}

}  // namespace tsunagi::runner
