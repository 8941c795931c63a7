// SPDX-License-Identifier: Apache-2.0
// What cells share is named once, below their tables.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace tsunagi::box {

/// What is named once, in the order in which it is met.
class Legend {
 public:
  std::size_t number_of(const std::string& text) {
    const auto at = std::find(texts_.begin(), texts_.end(), text);
    if (at == texts_.end()) counts_.push_back(0);
    const std::size_t number = static_cast<std::size_t>(at - texts_.begin());
    if (at == texts_.end()) texts_.push_back(text);
    ++counts_[number];
    return number;
  }
  const std::vector<std::string>& texts() const { return texts_; }
  std::size_t count(std::size_t i) const { return counts_[i]; }

 private:
  std::vector<std::string> texts_;
  std::vector<std::size_t> counts_;
};

/// a, b, ..., z, aa, ...
inline std::string letters(std::size_t n) {
  std::string out(1, static_cast<char>('a' + n % 26));
  return n < 26 ? out : letters(n / 26 - 1) + out;
}

}  // namespace tsunagi::box
