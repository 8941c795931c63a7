// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace tsunagi::flow {

/// A growing FIFO over one power-of-two array: no allocation once it has its size,
/// none at all while it was never used (10,000 idle links stay small).
template <class T>
class Ring {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  T& front() { return data_[head_]; }
  const T& front() const { return data_[head_]; }
  T& back() { return data_[(head_ + size_ - 1) & (capacity_ - 1)]; }
  const T& back() const { return data_[(head_ + size_ - 1) & (capacity_ - 1)]; }
  T& operator[](std::size_t i) { return data_[(head_ + i) & (capacity_ - 1)]; }
  const T& operator[](std::size_t i) const { return data_[(head_ + i) & (capacity_ - 1)]; }

  void push_back(T v) {
    if (size_ == capacity_) grow();
    data_[(head_ + size_) & (capacity_ - 1)] = std::move(v);
    ++size_;
  }
  void pop_front() {
    if constexpr (!std::is_trivially_destructible_v<T>) data_[head_] = T{};
    head_ = (head_ + 1) & (capacity_ - 1);
    --size_;
  }
  T take_front() {
    T v = std::move(data_[head_]);
    pop_front();
    return v;
  }

 private:
  void grow() {
    const std::size_t capacity = capacity_ == 0 ? 4 : 2 * capacity_;
    auto data = std::make_unique<T[]>(capacity);
    for (std::size_t i = 0; i < size_; ++i) data[i] = std::move((*this)[i]);
    data_ = std::move(data);
    capacity_ = static_cast<decltype(capacity_)>(capacity);
    head_ = 0;
  }
  std::unique_ptr<T[]> data_;
  unsigned head_ = 0;
  unsigned size_ = 0;
  unsigned capacity_ = 0;
};

}  // namespace tsunagi::flow
