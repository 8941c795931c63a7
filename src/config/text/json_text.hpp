// SPDX-License-Identifier: Apache-2.0
// Internal to src/config: JSON text to values with places.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/message.hpp"
#include "config/value.hpp"

namespace tsunagi::config::detail {

/// Parses JSON with // and /* */ comments. A text that is no JSON gives no value and one message; a duplicate
/// key gives a value (the first one counts) and a message. Nesting deeper than `most_levels` is refused.
std::optional<Value> parse_json(std::string_view text, const std::string& name, std::vector<Message>& messages);

}  // namespace tsunagi::config::detail
