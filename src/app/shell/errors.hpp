// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace tsunagi::app {

/// The user called the program wrongly; exit 2. what() is one line.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace tsunagi::app
