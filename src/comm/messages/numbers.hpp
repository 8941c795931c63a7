// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <utility>
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

/// Things by such numbers.
template <class T>
class Numbered {
 public:
  std::uint32_t add(T what) {
    const std::uint32_t i = numbers_.take();
    if (i == all_.size()) all_.emplace_back();
    all_[i] = std::move(what);
    return i;
  }
  T take(std::uint32_t i) {
    T out = std::move(all_.at(i).value());
    all_[i].reset();
    numbers_.give_back(i);
    return out;
  }
  T& at(std::uint32_t i) { return all_.at(i).value(); }

 private:
  Numbers numbers_;
  std::vector<std::optional<T>> all_;
};

}  // namespace tsunagi::comm
