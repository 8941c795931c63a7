// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "config/message.hpp"

namespace tsunagi::config {

/// One error about the value at `pointer`, found while the machine is built; whoever has the
/// document can look up the line (`Document::place_of`).
inline ConfigError error_at(std::string pointer, std::string text) {
  return ConfigError({Message{Place{}, std::move(pointer), std::move(text)}});
}

}  // namespace tsunagi::config
