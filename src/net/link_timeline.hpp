// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include "flow/ring.hpp"
#include "net/listener.hpp"
#include "net/schedule.hpp"
#include "net/specs.hpp"

namespace tsunagi::net {

/// Who occupies one direction of a wire, and from when to when: packets in the order they
/// were granted, link-layer packets in the gaps or behind, skip ordered sets between packets.
/// Link-layer packets may be placed ahead of time; a packet granted later goes between them, and
/// those it covers are charged, byte for byte, at its end.
/// Pure arithmetic: nothing wakes for any of it.
class LinkTimeline {
 public:
  LinkTimeline() = default;
  LinkTimeline(Rate rate, SkipSpec skip) : rate_(rate) {
    if (skip.interval.count() > 0) {
      skip_interval_ = rate.time(skip.interval);
      skip_length_ = rate.time(skip.length);
      next_skip_ = skip_interval_;
    }
  }

  /// End of what occupies the wire without a gap from its last packet on.
  Time free() const { return dllps_.empty() || dllps_.front().head > free_ ? free_ : dllps_.back().tail; }
  Time duration(Bytes n) const { return rate_.time(n); }

  /// The next packet: starts when its bytes can flow without a break (`ready`), the wire is free
  /// and, if given, on an edge of `word_clock`. Ordered sets that are due go first.
  Span place_packet(Time ready, Bytes size, const std::optional<Clock>& word_clock, const LinkObserver& observer = {}) {
    while (!dllps_.empty() && dllps_.front().head <= std::max(ready, free_)) charge_dllp();
    Time start = after_skips(std::max(ready, free_), observer);
    if (word_clock) start = word_clock->at_or_after(start);
    if (start != free_) remainder_ = {};
    const Span span{start, start + rate_.time(size, remainder_)};
    free_ = packets_end_ = span.tail;
    if (keep_gaps_) spans_.push_back(span);
    while (!dllps_.empty() && dllps_.front().head < span.tail) charge_dllp();
    return span;
  }

  /// A link-layer packet that is due at `due`: in the first gap between packets that holds it, else
  /// behind the last packet granted, between those that were placed there ahead of time.
  Span place_dllp(Time due, Bytes size) {
    const Time length = rate_.time(size);
    Time t = std::max(due, gap_used_);
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      if (t + length <= spans_[i].head) return {t, gap_used_ = t + length};
      t = std::max(t, spans_[i].tail);
    }
    t = std::max(t, free_);
    std::size_t at = 0;
    for (; at < dllps_.size() && t + length > dllps_[at].head; ++at) t = std::max(t, dllps_[at].tail);
    dllps_.push_back({t, t + length});
    for (std::size_t i = dllps_.size() - 1; i > at; --i) std::swap(dllps_[i], dllps_[i - 1]);
    return {t, t + length};
  }

  /// Nothing will be placed before `t` any more.
  void forget_before(Time t) {
    while (!spans_.empty() && spans_.front().tail <= t) spans_.pop_front();
    while (!dllps_.empty() && dllps_.front().tail <= t) charge_dllp();
  }
  /// Whether link-layer packets use this direction (then gaps are remembered).
  void keep_gaps(bool on) { keep_gaps_ = on; }

 private:
  /// The first link-layer packet takes its place on the wire for good.
  void charge_dllp() {
    const Span s = dllps_.take_front();
    if (s.head > free_) remainder_ = {};
    free_ = std::max(free_, s.head) + (s.tail - s.head);
  }

  Time after_skips(Time start, const LinkObserver& observer) {
    if (skip_length_ == Time::zero()) return start;
    while (next_skip_ <= start) {
      // Between packets all but the last two have passed, link-layer packets or not; those that a packet held up follow
      // it one by one.
      if (next_skip_ >= packets_end_ && start > next_skip_ + skip_interval_)
        next_skip_ += skip_interval_ * ((start - next_skip_) / skip_interval_ - 1);
      const Time begin = next_skip_ < packets_end_ ? std::max(packets_end_, free_) : next_skip_;
      packets_end_ = begin + skip_length_;
      free_ = std::max(free_, packets_end_);
      observer.overhead(Overhead::skip, {begin, packets_end_});
      if (keep_gaps_) spans_.push_back({begin, packets_end_});
      start = std::max(start, free_);
      next_skip_ += skip_interval_;
    }
    return start;
  }

  Rate rate_;
  Remainder remainder_;
  Time free_;
  Time packets_end_;  // of the last packet, or ordered set behind it
  Time skip_interval_;
  Time skip_length_;
  Time next_skip_;
  Time gap_used_;           // end of the last link-layer packet in a gap between packets
  flow::Ring<Span> spans_;  // packets, kept for the gaps between them
  flow::Ring<Span> dllps_;  // link-layer packets behind the last packet
  bool keep_gaps_ = false;
};

}  // namespace tsunagi::net
