// SPDX-License-Identifier: Apache-2.0
// Internal to src/config: messages about what they must not show.
#pragma once

#include <string>
#include <string_view>

namespace tsunagi::config::detail {

/// `text` with "..." for all that it has in common with `secret`: every run of three characters or more (of all of it,
/// if `secret` is shorter).
std::string without_words_of(std::string_view text, std::string_view secret);

/// What a JSON parser says of a syntax error, without the text that it had read.
std::string without_last_read(std::string text);

}  // namespace tsunagi::config::detail
