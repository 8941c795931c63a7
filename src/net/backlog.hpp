// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "units/time.hpp"

namespace tsunagi::net {

/// What a sender knows to be ahead of the next packet that it gets for a wire, in units of data of the receiver's
/// buffers: what waits for the wire, is under way, or lies in a buffer from where no credit has come back. Asked at an
/// instant it tells what was before, so that the answer does not depend on who acted first within it.
class Backlog {
 public:
  /// So much was queued for the wire at `now`. Times must not decrease.
  void add(Time now, std::int64_t units) {
    pass(now);  // here too: there are wires that nobody ever asks about
    if (now > added_at_) {
      before_ += at_;
      at_ = 0;
      added_at_ = now;
    }
    at_ += units;
  }
  /// The credit of so much is there at `when`.
  void leave(Time when, std::int64_t units) {
    leaving_.push_back({when, units});
    std::push_heap(leaving_.begin(), leaving_.end(), later);
  }
  /// The backlog just before `now`, in units (>= 0). Times must not decrease.
  std::int64_t before(Time now) {
    pass(now);
    return now > added_at_ ? before_ + at_ : before_;
  }

  /// Credits that are known to come: what its memory grows with.
  std::size_t pending() const { return leaving_.size(); }

 private:
  struct Leaving {
    Time when;
    std::int64_t units;
  };
  /// Takes off what has left before `now`.
  void pass(Time now) {
    for (; !leaving_.empty() && leaving_.front().when < now; leaving_.pop_back()) {
      before_ -= leaving_.front().units;
      std::pop_heap(leaving_.begin(), leaving_.end(), later);
    }
  }
  static bool later(const Leaving& a, const Leaving& b) { return b.when < a.when; }

  std::int64_t before_ = 0;  // without what came at `added_at_`
  std::int64_t at_ = 0;      // what came then
  Time added_at_;
  std::vector<Leaving> leaving_;  // a heap, the earliest first
};

}  // namespace tsunagi::net
