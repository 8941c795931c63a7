// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>

namespace tsunagi::test {

/// A number that whoever runs the tests may set: how many random cases, or which one.
inline std::int64_t from_environment(const char* name, std::int64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoll(text);
}

}  // namespace tsunagi::test
