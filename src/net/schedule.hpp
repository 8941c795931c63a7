// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>

#include "units/time.hpp"

namespace tsunagi::net {

/// When the first and the last byte of one packet pass a place.
struct Span {
  Time head;
  Time tail;
};

/// The spans of the packets of one train, in order; 1..64. Kept outside the packet,
/// because every stage maps one schedule to the next.
class Schedule {
 public:
  static constexpr std::size_t longest = 64;
  Schedule() = default;
  explicit Schedule(Span one) { spans_.push_back(one); }
  static Schedule at(Time t) { return Schedule(Span{t, t}); }

  std::size_t size() const { return spans_.size(); }
  Span& operator[](std::size_t i) { return spans_[i]; }
  const Span& operator[](std::size_t i) const { return spans_[i]; }
  void push_back(Span s) { spans_.push_back(s); }
  const Span& front() const { return spans_.front(); }
  const Span& back() const { return spans_.back(); }
  auto begin() { return spans_.begin(); }
  auto end() { return spans_.end(); }
  auto begin() const { return spans_.begin(); }
  auto end() const { return spans_.end(); }

 private:
  boost::container::small_vector<Span, 1> spans_;
};

}  // namespace tsunagi::net
