// SPDX-License-Identifier: Apache-2.0
#include "app/version.hpp"

namespace tsunagi::app {

std::string version() { return TSUNAGI_VERSION; }

}  // namespace tsunagi::app
