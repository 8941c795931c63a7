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
      : data_(std::exchange(o.data_, nullptr)),
        head_(std::exchange(o.head_, 0)),
        size_(std::exchange(o.size_, 0)),
        capacity_(std::exchange(o.capacity_, 0)) {}
  Ring& operator=(Ring&& o) noexcept {
    Ring old(std::move(o));
    std::swap(data_, old.data_);
    std::swap(head_, old.head_);
    std::swap(size_, old.size_);
    std::swap(capacity_, old.capacity_);
    return *this;
  }
  ~Ring() {
    while (!empty()) pop_front();
    if (data_ != nullptr) std::allocator<T>().deallocate(data_, capacity_);
  }

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  T& front() { return data_[head_]; }
  const T& front() const { return data_[head_]; }
  T& back() { return (*this)[size_ - 1]; }
  const T& back() const { return (*this)[size_ - 1]; }
  T& operator[](std::size_t i) { return data_[(head_ + i) & (capacity_ - 1)]; }
  const T& operator[](std::size_t i) const { return data_[(head_ + i) & (capacity_ - 1)]; }

  void push_back(T&& v) { emplace_back(std::move(v)); }
  void push_back(const T& v) { emplace_back(T(v)); }  // a copy, because it may lie in here
  void pop_front() {
    data_[head_].~T();
    head_ = (head_ + 1) & (capacity_ - 1);
    --size_;
  }
  T take_front() {
    T v = std::move(data_[head_]);
    pop_front();
    return v;
  }

 private:
  void emplace_back(T&& v) {
    if (size_ == capacity_) return grow_and_push(std::move(v));
    new (&(*this)[size_]) T(std::move(v));
    ++size_;
  }
  void grow_and_push(T&& v) {
    const unsigned capacity = capacity_ == 0 ? 4 : 2 * capacity_;
    T* data = std::allocator<T>().allocate(capacity);
    new (data + size_) T(std::move(v));  // first: it may lie in what is moved below
    for (unsigned i = 0; i < size_; ++i) {
      new (data + i) T(std::move((*this)[i]));
      (*this)[i].~T();
    }
    if (data_ != nullptr) std::allocator<T>().deallocate(data_, capacity_);
    data_ = data;
    capacity_ = capacity;
    head_ = 0;
    ++size_;
  }
  T* data_ = nullptr;
  unsigned head_ = 0;
  unsigned size_ = 0;
  unsigned capacity_ = 0;
};

/// Puts `v` into a ring in order of `when`, behind what has the same; nearly always it is the latest.
template <class T>
void push_by_time(Ring<T>& ring, T v) {
  ring.push_back(std::move(v));
  for (std::size_t i = ring.size(); i > 1 && ring[i - 1].when < ring[i - 2].when; --i)
    std::swap(ring[i - 1], ring[i - 2]);
}

}  // namespace tsunagi::flow
