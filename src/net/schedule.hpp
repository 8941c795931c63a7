// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "units/time.hpp"

namespace tsunagi::net {

/// When the first and the last byte of one packet pass a place.
struct Span {
  Time head;
  Time tail;
};

/// Spans in order, where they lie: a schedule's, or some of them.
class Spans {
 public:
  Spans(const Span* first, std::size_t n) : first_(first), size_(n) {}
  std::size_t size() const { return size_; }
  const Span& operator[](std::size_t i) const { return first_[i]; }
  const Span& front() const { return first_[0]; }
  const Span& back() const { return first_[size_ - 1]; }
  const Span* begin() const { return first_; }
  const Span* end() const { return first_ + size_; }
  Spans first(std::size_t n) const { return {first_, n}; }

 private:
  const Span* first_;
  std::size_t size_;
};

/// The spans of the packets of one train, in order; 1..64. Kept outside the packet, because every
/// stage maps one schedule to the next. Moves only; a single span needs no allocation.
class Schedule {
 public:
  static constexpr std::size_t longest = 64;
  Schedule() = default;
  explicit Schedule(Span one) : one_(one), size_(1) {}
  static Schedule at(Time t) { return Schedule(Span{t, t}); }
  /// `n` packets (1..64) that are all there at `t`.
  static Schedule at(Time t, std::int64_t n) {
    Schedule all = at(t);
    all.reserve(static_cast<std::size_t>(n));
    while (--n > 0) all.push_back({t, t});
    return all;
  }
  Schedule(Schedule&& o) noexcept
      : one_(o.one_),
        many_(std::move(o.many_)),
        size_(std::exchange(o.size_, 0)),
        capacity_(std::exchange(o.capacity_, 1)) {}
  Schedule& operator=(Schedule&& o) noexcept {
    one_ = o.one_;
    many_ = std::move(o.many_);
    size_ = std::exchange(o.size_, 0);
    capacity_ = std::exchange(o.capacity_, 1);
    return *this;
  }

  std::size_t size() const { return size_; }
  Span& operator[](std::size_t i) { return begin()[i]; }
  const Span& operator[](std::size_t i) const { return begin()[i]; }
  void reserve(std::size_t n) {
    if (n > capacity_) grow(n);
  }
  void push_back(Span s) {
    if (size_ == capacity_) grow(2 * size_);
    new (begin() + size_++) Span(s);
  }
  void clear() { size_ = 0; }
  /// The same, and gives back what memory it has.
  void reset() {
    many_.reset();
    size_ = 0;
    capacity_ = 1;
  }
  /// The first `n` packets have gone; fewer than all.
  void drop_front(std::size_t n) {
    std::copy(begin() + n, end(), begin());
    size_ -= static_cast<std::uint32_t>(n);
  }
  const Span& front() const { return *begin(); }
  const Span& back() const { return begin()[size_ - 1]; }
  Span* begin() { return many_ ? many_.get() : &one_; }
  Span* end() { return begin() + size_; }
  const Span* begin() const { return many_ ? many_.get() : &one_; }
  const Span* end() const { return begin() + size_; }
  operator Spans() const { return {begin(), size_}; }

 private:
  struct Free {
    void operator()(Span* p) const { ::operator delete(p); }
  };
  void grow(std::size_t n) {
    static_assert(std::is_trivially_copyable_v<Span> && std::is_trivially_destructible_v<Span>);
    // Raw, because setting 64 spans to zero costs as much as a packet's way through a chip.
    std::unique_ptr<Span, Free> bigger(static_cast<Span*>(::operator new(n * sizeof(Span))));
    std::uninitialized_copy(begin(), end(), bigger.get());
    many_ = std::move(bigger);
    capacity_ = static_cast<std::uint32_t>(n);
  }
  Span one_;
  std::unique_ptr<Span, Free> many_;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = 1;
};

/// Room for the spans of the longest train on the stack: for those that nobody keeps.
class BriefSchedule {
 public:
  void push_back(Span s) { new (room_ + size_++ * sizeof(Span)) Span(s); }
  void clear() { size_ = 0; }
  operator Spans() const { return {std::launder(reinterpret_cast<const Span*>(room_)), size_}; }

 private:
  std::size_t size_ = 0;
  alignas(Span) unsigned char room_[Schedule::longest * sizeof(Span)];
};

}  // namespace tsunagi::net
