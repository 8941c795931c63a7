// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/router/link.hpp"

namespace tsunagi::router {

/// A message as what leaves its terminal, one piece behind the other: packets of the wire's largest payload, or the
/// heads and flits of worms, alike ones together. Made as it is asked for: a message takes no more memory than one.
class Cutter {
 public:
  struct Piece {
    std::int32_t count = 1;  // packets, of `each` bytes, the last of `last`
    Bytes each;
    Bytes last;
    bool more = false;  // of the same worm follow behind it
    bool body = false;  // of a worm, behind its head
  };
  /// Of `n` bytes (> 0) in packets of up to `largest`. No piece has more than `most` packets. `framing`: of a link;
  /// null: packets are not cut further.
  Cutter(Bytes n, Bytes largest, const LinkFraming* framing, std::int32_t most)
      : framing_(framing), left_(n), largest_(largest), most_(most) {}
  bool done() const { return left_ == Bytes::zero(); }
  /// The next one; not when all is done.
  Piece next() { return framing_ != nullptr && framing_->in_worms() ? next_of_worm() : take(left_, largest_); }

 private:
  /// The next packets of `n` bytes in all, `each` but for the last.
  Piece take(Bytes n, Bytes each) {
    const std::int64_t packets = units_of(n, each);
    Piece p;
    p.count = static_cast<std::int32_t>(std::min<std::int64_t>(packets, most_));
    p.last = p.count == packets ? n - each * (packets - 1) : each;
    p.each = p.count == 1 ? p.last : each;
    left_ -= p.each * (p.count - 1) + p.last;
    return p;
  }
  Piece next_of_worm() {
    const bool head = worm_ == Bytes::zero();
    if (head) worm_ = std::min(left_, largest_);
    Piece p;
    if (head) {
      const Bytes n = std::min(worm_, framing_->head_payload());
      p = take(n, n);
    } else {  // the last flit goes alone: nothing follows it
      const std::int64_t flits = units_of(worm_, framing_->flit());
      const Bytes n = flits == 1 ? worm_ : framing_->flit() * (flits - 1);
      p = take(n, flits == 1 ? n : framing_->flit());
      p.body = true;
    }
    worm_ -= p.each * (p.count - 1) + p.last;
    p.more = worm_ > Bytes::zero();
    return p;
  }
  const LinkFraming* framing_;
  Bytes left_;
  Bytes largest_;
  std::int32_t most_;
  Bytes worm_;  // what is left of the worm that has begun
};

}  // namespace tsunagi::router
