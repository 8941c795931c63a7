// SPDX-License-Identifier: Apache-2.0
// Internal to src/config: what "$lines" brings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/message.hpp"
#include "config/value.hpp"

namespace tsunagi::config::detail {

/// The text's lines as an array of strings, each placed at the line's begin, without comments ("#" to the line's end),
/// without blanks and tabs around them (a tab between words counts as a blank), and without lines that are empty then.
/// A text of none, a line that is no UTF-8 or holds a control or format character, and too many lines are told. Unless
/// `shown`, messages tell of no line what it says.
Value parse_lines(std::string_view text, const std::string& name, bool shown, std::vector<Message>& messages);

}  // namespace tsunagi::config::detail
