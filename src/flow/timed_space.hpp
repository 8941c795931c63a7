// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "flow/cause.hpp"
#include "flow/ring.hpp"
#include "units/bytes.hpp"

namespace tsunagi::flow {

/// Buffer space in bytes, each of which is free since a time, which may lie ahead: whoever empties a buffer says when
/// as soon as that is known. Space that is free first is taken first.
class TimedSpace {
 public:
  /// All of it is free since time 0.
  explicit TimedSpace(Bytes size) : known_(size) { free_.push_back({{}, size}); }

  /// It is known when `n` bytes (> 0) are free.
  bool covers(Bytes n) const { return n <= known_; }
  /// Since when `n` bytes are free that it covers, and by what: by the last of them.
  Cause free_since(Bytes n) const {
    std::size_t i = 0;
    for (; free_[i].bytes < n; ++i) n -= free_[i].bytes;
    return free_[i];
  }
  /// When its first byte is free, of which that has to be known.
  Time first_free() const { return free_.front().when; }
  /// Takes `n` bytes that it covers. Returns what `free_since` says of them.
  Cause claim(Bytes n) {
    known_ -= n;
    Cause last;
    while (n > Bytes::zero()) {
      Space& s = free_.front();
      const Bytes part = std::min(n, s.bytes);
      last = s;
      s.bytes -= part;
      n -= part;
      if (s.bytes == Bytes::zero()) free_.pop_front();
    }
    return last;
  }
  /// `n` bytes (> 0) are free since then.
  void release(Bytes n, Cause since) {
    known_ += n;
    push_by_time(free_, Space{since, n});
  }

 private:
  struct Space : Cause {
    Space(Cause since, Bytes n) : Cause(since), bytes(n) {}
    Bytes bytes;
  };
  Ring<Space> free_;  // by time
  Bytes known_;       // in all of that
};

}  // namespace tsunagi::flow
