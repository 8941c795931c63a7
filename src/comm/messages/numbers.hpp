// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

namespace tsunagi::comm {

/// Hands out numbers from 0 on, the smallest that is free.
class Numbers {
 public:
  std::uint32_t take() {
    if (free_.empty()) return next_++;
    const std::uint32_t n = free_.top();
    free_.pop();
    return n;
  }
  /// `n` has been taken, and is free again.
  void give_back(std::uint32_t n) { free_.push(n); }

 private:
  std::uint32_t next_ = 0;  // none from here on has been taken
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> free_;
};

}  // namespace tsunagi::comm
