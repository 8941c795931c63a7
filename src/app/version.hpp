// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tsunagi::app {

/// The program's version, as the build was told (TSUNAGI_VERSION).
std::string version();

}  // namespace tsunagi::app
