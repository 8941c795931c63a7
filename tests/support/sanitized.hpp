// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/lsan_interface.h>
#endif
#endif

namespace tsunagi::test {

/// Whether this build looks for errors of memory, which takes more stack and several times the time.
#if defined(__SANITIZE_ADDRESS__)  // g++
constexpr bool sanitized = true;
#elif defined(__has_feature)  // clang++
constexpr bool sanitized = __has_feature(address_sanitizer);
#else
constexpr bool sanitized = false;
#endif

/// What is made from now on may be lost: threads of a model that still wait when the process ends keep what they hold.
inline void expect_leaks() {
#if defined(__SANITIZE_ADDRESS__)
  __lsan_disable();
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
  __lsan_disable();
#endif
#endif
}

}  // namespace tsunagi::test
