// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace tsunagi::report {

/// Texts too long for the cells of a table, which stand below it: numbered as they come, each once.
class Notes {
 public:
  /// What stands in the cell: "(2)".
  std::string mark(const std::string& text) {
    const auto at = std::find(texts_.begin(), texts_.end(), text);
    const auto number = at - texts_.begin() + 1;
    if (at == texts_.end()) texts_.push_back(text);
    return "(" + std::to_string(number) + ")";
  }
  /// "(1) because", a line each.
  std::string text() const {
    std::string out;
    for (std::size_t i = 0; i < texts_.size(); ++i) out += "(" + std::to_string(i + 1) + ") " + texts_[i] + "\n";
    return out;
  }

 private:
  std::vector<std::string> texts_;
};

}  // namespace tsunagi::report
