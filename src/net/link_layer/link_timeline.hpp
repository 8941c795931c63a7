// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "flow/ring.hpp"
#include "net/link_layer/flit_stream.hpp"
#include "net/listener.hpp"
#include "net/schedule.hpp"
#include "net/specs.hpp"

namespace tsunagi::net {

/// Who occupies one direction of a wire, from when to when, in one list by time: packets in the order they were
/// granted, ordered sets between packets, link-layer packets in the gaps or behind. Link-layer packets may be placed
/// ahead of time; a packet granted later goes between them, and those that it covers follow it.
/// Pure arithmetic: nothing wakes for any of it.
class LinkTimeline {
 public:
  /// The spec must outlive it.
  explicit LinkTimeline(const WireSpec& wire) : wire_(&wire), next_skip_(wire.skip.interval) {
    if (wire.flits.any()) flits_ = std::make_unique<FlitStream>(wire);
  }
  const WireSpec& wire() const { return *wire_; }

  /// End of what occupies the wire without a gap from its last packet on.
  Time free() const {
    return fixed_ == occupied_.size() || occupied_[fixed_].head > free_ ? free_ : occupied_.back().tail;
  }
  Time duration(Bytes n) const { return wire_->rate.time(n); }
  /// Where packets' bytes and link-layer packets lie in flits; null: there are none.
  FlitStream* flits() { return flits_.get(); }
  const FlitStream* flits() const { return flits_.get(); }

  /// The next packet: starts when its bytes can flow without a break (`ready`), the wire is free
  /// and, if given, on an edge of `word_clock`. Ordered sets that are due go first.
  Span place_packet(Time ready, Bytes size, const std::optional<Clock>& word_clock, const LinkObserver& observer = {}) {
    if (flits_ != nullptr) return place_in_flits(word_clock ? word_clock->at_or_after(ready) : ready, size, observer);
    while (fixed_ < occupied_.size() && occupied_[fixed_].head <= std::max(ready, free_)) fix_next();
    Time start = after_skips(std::max(ready, free_), observer);
    if (word_clock) start = word_clock->at_or_after(start);
    if (start != free_) remainder_ = {};
    const Span span{start, start + wire_->rate.time(size, remainder_)};
    free_ = packets_end_ = span.tail;
    carry(span);
    keep(span);
    while (fixed_ < occupied_.size() && occupied_[fixed_].head < span.tail) fix_next();
    return span;
  }

  /// A link-layer packet that is due at `due`: in the first gap that holds it, at the latest behind all else.
  Span place_dllp(Time due, Bytes size) {
    if (flits_ != nullptr) return flits_->place_update(due);
    const Time length = duration(size);
    Time t = due;
    std::uint32_t at = find_gap(t, length, fixed_);
    if (at < fixed_) {
      ++fixed_;
    } else {
      t = std::max(t, free_);
      at = find_gap(t, length, static_cast<std::uint32_t>(occupied_.size()), fixed_);
    }
    insert(at, {t, t + length});
    return {t, t + length};
  }

  /// An acknowledgement that is due at `due`: a packet like others, or what each flit has room for.
  Span place_acknowledgement(Time due, Bytes size) {
    if (flits_ == nullptr) return place_dllp(due, size);
    const Time end = flits_->end_of_next(due);
    return {end, end};
  }

  /// Nothing will be placed before `t` any more.
  void forget_before(Time t) {
    if (flits_ != nullptr) flits_->forget_before(t);
    while (!occupied_.empty() && occupied_.front().tail <= t) {
      if (fixed_ == 0) fix_next();
      occupied_.pop_front();
      --fixed_;
    }
  }
  /// Counts, of all packets that are placed from now on, the time that they occupy the wire within `span`.
  void watch(Span span) {
    watched_ = span;
    carried_ = Time::zero();
  }
  /// What it counted; of packets that are under way again, each time.
  Time carried() const { return carried_; }
  /// Whether link-layer packets use this direction (then gaps are remembered).
  void keep_gaps(bool on) { keep_gaps_ = on; }

 private:
  Span place_in_flits(Time ready, Bytes size, const LinkObserver& observer) {
    const Span span = flits_->place(std::max(ready, free_), size);
    if (observer.listener != nullptr) flits_->tell_ordered_sets(std::max(ready, free_), span.tail, observer);
    free_ = packets_end_ = span.tail;
    carry(span);
    return span;
  }
  void carry(Span span) {
    carried_ += std::max(std::min(span.tail, watched_.tail) - std::max(span.head, watched_.head), Time::zero());
  }
  void insert(std::uint32_t at, Span s) {
    occupied_.push_back(s);
    for (std::size_t i = occupied_.size() - 1; i > at; --i) std::swap(occupied_[i], occupied_[i - 1]);
  }
  /// Place of the first gap of `length` from `t` on before entry `end`, `end` if there is none; moves `t` there, or
  /// behind that entry.
  std::uint32_t find_gap(Time& t, Time length, std::uint32_t end, std::uint32_t begin = 0) const {
    std::uint32_t at = begin;
    for (; at < end && t + length > occupied_[at].head; ++at) t = std::max(t, occupied_[at].tail);
    return at;
  }
  /// Behind all that is fixed, it keeps its place for good. What follows without a gap is one entry.
  void keep(Span s) {
    if (!keep_gaps_) return;
    if (fixed_ > 0 && occupied_[fixed_ - 1].tail == s.head) {
      occupied_[fixed_ - 1].tail = s.tail;
    } else {
      insert(fixed_++, s);
    }
  }
  /// The first link-layer packet behind the last packet takes its place on the wire for good.
  void fix_next() {
    Span& s = occupied_[fixed_++];
    if (s.head > free_) remainder_ = {};
    const Time head = std::max(free_, s.head);
    s = {head, head + (s.tail - s.head)};
    free_ = s.tail;
  }

  Time after_skips(Time start, const LinkObserver& observer) {
    const auto [interval, length] = wire_->skip;
    if (length == Time::zero()) return start;
    while (next_skip_ <= start) {
      // Between packets all but the last two have passed, link-layer packets or not: which of those are there already
      // depends on who asks first. Those that a packet held up follow it one by one.
      if (next_skip_ >= packets_end_ && start > next_skip_ + interval)
        next_skip_ += interval * ((start - next_skip_) / interval - 1);
      const Time begin = next_skip_ < packets_end_ ? std::max(packets_end_, free_) : next_skip_;
      packets_end_ = begin + length;
      free_ = std::max(free_, packets_end_);
      observer.overhead(Overhead::skip, {begin, packets_end_});
      keep({begin, packets_end_});
      start = std::max(start, free_);
      next_skip_ += interval;
    }
    return start;
  }

  const WireSpec* wire_;
  Time free_;
  std::uint32_t fixed_ = 0;  // of `occupied_`; behind them link-layer packets that a packet may still push on
  bool keep_gaps_ = false;
  flow::Ring<Span> occupied_;  // from what is not over yet on; without link-layer packets nothing need be remembered
  Time packets_end_;           // of the last packet, or ordered set behind it
  Time next_skip_;
  Remainder remainder_;
  std::unique_ptr<FlitStream> flits_;
  Span watched_;
  Time carried_;
};

}  // namespace tsunagi::net
