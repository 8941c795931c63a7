// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tsunagi::app {

/// The whole program: `arguments` without its own name. Returns the exit code, never throws.
int program(const std::vector<std::string>& arguments);

}  // namespace tsunagi::app
