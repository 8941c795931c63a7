// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "config/describe.hpp"

namespace tsunagi::app {

/// A scenario as a JSON object, `indent` blanks deep, with what each value is above it; values that say nothing ("",
/// [], false) are left as comments.
std::string commented_scenario(const config::AnyConfig& scenario, int indent);

}  // namespace tsunagi::app
