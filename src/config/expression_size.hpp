// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

namespace tsunagi::config {

/// Why nobody should evaluate an expression, which takes stack and time with its length and with the parentheses in it;
/// empty if it is short and flat enough.
inline std::string too_complex(const std::string& expression) {
  constexpr std::size_t most_characters = 2000;
  constexpr int most_levels = 16;
  int depth = 0;
  int deepest = 0;
  for (const char c : expression) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    deepest = std::max(deepest, depth);
  }
  if (expression.size() > most_characters)
    return "an expression has at most " + std::to_string(most_characters) + " characters";
  if (deepest > most_levels)
    return "an expression has at most " + std::to_string(most_levels) + " levels of parentheses";
  return {};
}

}  // namespace tsunagi::config
