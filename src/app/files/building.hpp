// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "config/config.hpp"

namespace tsunagi::app {

/// Checks a document of that kind ("machine") as `validate` does, and builds it in a process of its own. Throws
/// config::ConfigError with what is wrong. False: Ctrl-C.
bool builds(const std::string& kind, const config::Document& document);

}  // namespace tsunagi::app
