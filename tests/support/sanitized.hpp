// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tsunagi::test {

/// Whether this build looks for errors of memory, which takes more stack and several times the time.
#if defined(__SANITIZE_ADDRESS__)  // g++
constexpr bool sanitized = true;
#elif defined(__has_feature)  // clang++
constexpr bool sanitized = __has_feature(address_sanitizer);
#else
constexpr bool sanitized = false;
#endif

}  // namespace tsunagi::test
