// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "runner/outcome.hpp"

namespace tsunagi::runner {

/// What a child sends to its parent: one line of JSON that ends with a newline.
std::string pack(const Outcome& outcome);

/// Reads what `pack` wrote. Throws std::runtime_error when the text is damaged or cut short.
Outcome unpack(const std::string& text);

}  // namespace tsunagi::runner
