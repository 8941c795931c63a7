// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tsunagi::figures {

/// A part of an expression without the blanks, tabs and line ends around it.
inline std::string trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of(" \t\n");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\n") - begin + 1);
}

}  // namespace tsunagi::figures
