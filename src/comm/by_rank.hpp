// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace tsunagi::comm {

/// Something of each rank (or, in what one rank keeps, of each peer), by its number: a vector whose index is an int, as
/// ranks are.
template <class T>
class ByRank {
 public:
  ByRank() = default;
  explicit ByRank(std::size_t ranks) : all_(ranks) {}
  ByRank(std::size_t ranks, const T& each) : all_(ranks, each) {}
  template <class I>
  ByRank(I first, I last) : all_(first, last) {}
  ByRank(std::vector<T> all) : all_(std::move(all)) {}

  T& operator[](int rank) { return all_[static_cast<std::size_t>(rank)]; }
  const T& operator[](int rank) const { return all_[static_cast<std::size_t>(rank)]; }
  T& front() { return all_.front(); }
  const T& front() const { return all_.front(); }
  std::size_t size() const { return all_.size(); }
  bool empty() const { return all_.empty(); }
  auto begin() { return all_.begin(); }
  auto begin() const { return all_.begin(); }
  auto end() { return all_.end(); }
  auto end() const { return all_.end(); }
  const T* data() const { return all_.data(); }

  void reserve(std::size_t ranks) { all_.reserve(ranks); }
  void resize(std::size_t ranks) { all_.resize(ranks); }
  void push_back(T next) { all_.push_back(std::move(next)); }
  template <class... A>
  T& emplace_back(A&&... a) {
    return all_.emplace_back(std::forward<A>(a)...);
  }

 private:
  std::vector<T> all_;
};

}  // namespace tsunagi::comm
