// SPDX-License-Identifier: Apache-2.0
#include "sim/main_stack.hpp"

#if defined(__SANITIZE_ADDRESS__)  // g++
#define TSUNAGI_ASAN
#elif defined(__has_feature)  // clang++
#if __has_feature(address_sanitizer)
#define TSUNAGI_ASAN
#endif
#endif

#ifdef TSUNAGI_ASAN
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>

#include <cstddef>
#endif

namespace tsunagi::sim {

#ifdef TSUNAGI_ASAN
namespace {

/// A thread's stack, which the system finds in the list of all that a process has mapped: asked for once.
struct ThreadStack {
  ThreadStack() {
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
    pthread_attr_getstack(&attributes, &bottom, &size);
    pthread_attr_destroy(&attributes);
  }
  void* bottom = nullptr;
  std::size_t size = 0;
};

}  // namespace
#endif

void on_main_stack() {
#ifdef TSUNAGI_ASAN
  static thread_local const ThreadStack stack;
  if (stack.bottom == nullptr) return;
  void* fake = nullptr;
  __sanitizer_start_switch_fiber(&fake, stack.bottom, stack.size);
  __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
}

}  // namespace tsunagi::sim
