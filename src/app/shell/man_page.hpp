// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/commands.hpp"

namespace tsunagi::app {

/// tsunagi-run(1) of a command, from its option table; for man.
std::string man_page(const Command& command);

/// tsunagi(1): all commands.
std::string man_page();

}  // namespace tsunagi::app
