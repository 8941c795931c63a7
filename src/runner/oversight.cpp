// SPDX-License-Identifier: Apache-2.0
#include "runner/oversight.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <csignal>
#include <new>
#include <system_error>

#include "runner/interrupt_watch.hpp"

namespace tsunagi::runner {
namespace {

static_assert(std::atomic<std::int64_t>::is_always_lock_free && std::atomic<bool>::is_always_lock_free,
              "processes share them, and a signal handler stores");

Oversight* overseer = nullptr;

void ask_to_stop(int) { overseer->stop.store(true, std::memory_order_relaxed); }

}  // namespace

SharedOversight::SharedOversight() {
  void* const memory = ::mmap(nullptr, sizeof(Oversight), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "cannot share memory");
  shared_ = new (memory) Oversight;
}

SharedOversight::~SharedOversight() { ::munmap(shared_, sizeof(Oversight)); }

Oversight* overseen() { return overseer; }

void become_overseen(Oversight& by) {
  overseer = &by;
  struct sigaction stop {};
  stop.sa_handler = ask_to_stop;
  stop.sa_flags = SA_RESTART;
  for (const int signal : interrupts)
    if (!is_ignored(signal)) ::sigaction(signal, &stop, nullptr);
}

}  // namespace tsunagi::runner
