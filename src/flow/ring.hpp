// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace tsunagi::flow {

/// A growing FIFO over one power-of-two array: no allocation once it has its size,
/// none at all while it was never used (10,000 idle links stay small). What leaves it is destroyed at once.
template <class T>
class Ring {
 public:
  Ring() = default;
  Ring(Ring&& o) noexcept
      : head_(std::exchange(o.head_, 0)),
        size_(std::exchange(o.size_, 0)),
        data_(std::exchange(o.data_, nullptr)),
        mask_(std::exchange(o.mask_, ~0u)) {}
  Ring& operator=(Ring&& o) noexcept {
    Ring old(std::move(o));
    std::swap(data_, old.data_);
    std::swap(head_, old.head_);
    std::swap(size_, old.size_);
    std::swap(mask_, old.mask_);
    return *this;
  }
  ~Ring() {
    while (!empty()) pop_front();
    if (data_ != nullptr) std::allocator<T>().deallocate(data_, mask_ + std::size_t{1});
  }

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  T& front() { return data_[head_]; }
  const T& front() const { return data_[head_]; }
  T& back() { return (*this)[size_ - 1]; }
  const T& back() const { return (*this)[size_ - 1]; }
  T& operator[](std::size_t i) { return data_[(head_ + i) & mask_]; }
  const T& operator[](std::size_t i) const { return data_[(head_ + i) & mask_]; }

  void push_back(T&& v) { emplace_back(std::move(v)); }
  void push_back(const T& v) { emplace_back(T(v)); }  // a copy, because it may lie in here
  void pop_front() {
    data_[head_].~T();
    head_ = --size_ == 0 ? 0 : (head_ + 1) & mask_;  // one that never holds much touches the same memory again
  }
  T take_front() {
    T v = std::move(data_[head_]);
    pop_front();
    return v;
  }

 private:
  void emplace_back(T&& v) {
    if (size_ == mask_ + 1) return grow_and_push(std::move(v));
    new (&(*this)[size_]) T(std::move(v));
    ++size_;
  }
  void grow_and_push(T&& v) {
    const unsigned capacity = data_ == nullptr ? first_capacity : 2 * size_;
    T* data = std::allocator<T>().allocate(capacity);
    new (data + size_) T(std::move(v));  // first: it may lie in what is moved below
    for (unsigned i = 0; i < size_; ++i) {
      new (data + i) T(std::move((*this)[i]));
      (*this)[i].~T();
    }
    if (data_ != nullptr) std::allocator<T>().deallocate(data_, mask_ + std::size_t{1});
    data_ = data;
    mask_ = capacity - 1;
    head_ = 0;
    ++size_;
  }
  static constexpr unsigned first_capacity = sizeof(T) > 128 ? 1 : 4;  // most of many rings hold no more at a time
  unsigned head_ = 0;
  unsigned size_ = 0;
  T* data_ = nullptr;
  unsigned mask_ = ~0u;  // places less one
};

/// Puts `v` into a ring in order of `when`, behind what has the same; nearly always it is the latest.
template <class T>
void push_by_time(Ring<T>& ring, T v) {
  ring.push_back(std::move(v));
  for (std::size_t i = ring.size(); i > 1 && ring[i - 1].when < ring[i - 2].when; --i)
    std::swap(ring[i - 1], ring[i - 2]);
}

}  // namespace tsunagi::flow
