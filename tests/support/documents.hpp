// SPDX-License-Identifier: Apache-2.0
// The documents of the tree that is tested.
#pragma once

#include <filesystem>
#include <regex>
#include <string>
#include <vector>

namespace tsunagi::test {

/// The folder that holds src, docs and configs.
inline const std::filesystem::path root = std::filesystem::path(TSUNAGI_TEST_CONFIGS).parent_path();

/// What stands in `...` in a text.
inline std::vector<std::string> quoted(const std::string& text) {
  std::vector<std::string> out;
  const std::regex code("`([^`\n]+)`");
  for (std::sregex_iterator i(text.begin(), text.end(), code), end; i != end; ++i) out.push_back((*i)[1]);
  return out;
}

}  // namespace tsunagi::test
