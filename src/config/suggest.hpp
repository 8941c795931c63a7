// SPDX-License-Identifier: Apache-2.0
// Internal to src/config: "did you mean".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tsunagi::config::detail {

/// Edits (insert, delete, replace, swap neighbours) from one word to another, case ignored.
std::size_t edit_distance(std::string_view a, std::string_view b);
/// "; did you mean \"lanes\"?" for the nearest known word, or "" if none is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);
/// "unknown key \"lane\"; did you mean \"lanes\"? known keys: a, b, c"; `what` is one thing's name ("key").
std::string unknown(std::string_view what, std::string_view word, const std::vector<std::string>& known);
/// "a, b, c", or "none".
std::string listed(const std::vector<std::string>& words);

}  // namespace tsunagi::config::detail
