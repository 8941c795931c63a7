// SPDX-License-Identifier: Apache-2.0
// Puts fitted values into the files of parts, and leaves all else there as it is, comments too.
#pragma once

#include <string>

#include "config/message.hpp"

namespace tsunagi::fit {

/// `text` with another JSON value at a place in it: line and column (in characters) where the old one begins. Throws
/// std::out_of_range if no value begins there.
std::string with_value(const std::string& text, int line, int column, const std::string& json);

/// `text` with another value behind the key that begins at a place.
std::string with_member(const std::string& text, int line, int column, const std::string& json);

}  // namespace tsunagi::fit
