// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "flow/ring.hpp"
#include "net/link_layer/bit_errors.hpp"
#include "net/listener.hpp"
#include "net/schedule.hpp"
#include "net/specs.hpp"
#include "units/bytes.hpp"
#include "units/time.hpp"
#include "units/wide.hpp"

namespace tsunagi::net {

/// Flits of one direction of a wire (FlitSpec): which bytes of them packets take and which of them carry updates. Flits
/// and ordered sets lie at fixed times, so a byte's time is a closed form of its number. Pure arithmetic.
class FlitStream {
 public:
  /// Of a wire that has flits; `skip.interval` is a whole number of flits and one ordered set.
  explicit FlitStream(const WireSpec& w)
      : spec_(w.flits),
        skip_(w.skip.length),
        flit_(w.rate.time(w.flits.packets)),
        period_(w.skip.length == Time::zero() ? flit_ : w.skip.interval),
        per_period_(w.skip.length == Time::zero() ? 1 : (w.skip.interval - w.skip.length) / flit_) {}

  /// The next packet, of `size` bytes that can flow from `ready` on: from its first byte on to the end of its last one,
  /// or of the flit if that has no room behind it.
  Span place(Time ready, Bytes size) {
    constexpr std::int64_t word = 4;
    first_ = (std::max(next_, first_from(ready)) + word - 1) / word * word;  // a flit holds whole words
    next_ = first_ + size.count();
    return {start(first_), end_of_byte(next_ - 1)};
  }
  /// When the flit that ends the packet placed last has left.
  Time end() const { return flit_start(flit_of(next_ - 1)) + flit_; }
  /// Shortest time in which so many bytes leave: with no flit's end among them.
  Time least(Bytes n) const { return offset(n.count()); }

  /// When the first flit ends that can still take up what is to be told at `t`.
  Time end_of_next(Time t) const { return flit_start(telling(t)) + flit_; }
  /// An update that is due then goes with the first flit that has none yet; when that ends.
  Span place_update(Time due) {
    std::int64_t flit = telling(due);
    std::size_t at = 0;
    for (; at < told_.size() && told_[at] <= flit; ++at)
      if (told_[at] == flit) ++flit;
    told_.push_back(flit);
    for (std::size_t i = told_.size() - 1; i > at; --i) std::swap(told_[i], told_[i - 1]);
    const Time end = flit_start(flit) + flit_;
    return {end, end};
  }
  /// Nothing that is due before `t` will be placed any more.
  void forget_before(Time t) {
    while (!told_.empty() && flit_start(told_.front()) + flit_ <= t) told_.pop_front();
  }

  /// A flit that arrives wrong, and what of the packet placed last lies in it and behind it.
  struct Corrupted {
    Time end;
    Bytes lost;
  };
  /// The first of the flits of the packet placed last; none: all arrive well. Each flit is looked at once, whoever's
  /// bytes it has.
  std::optional<Corrupted> first_corrupted(BitErrors& errors) {
    for (looked_at_ = std::max(looked_at_, flit_of(first_)); looked_at_ <= flit_of(next_ - 1);) {
      const std::int64_t flit = looked_at_++;
      if (!errors.happens(spec_.error_rate)) continue;
      const std::int64_t from = std::max(first_, flit * spec_.packets.count());
      return Corrupted{flit_start(flit) + flit_, Bytes(next_ - from)};
    }
    return std::nullopt;
  }
  /// Tells of the ordered sets that lie between two times.
  void tell_ordered_sets(Time from, Time to, const LinkObserver& observer) const {
    if (skip_ == Time::zero()) return;
    for (Time set = period_ * (from / period_ + 1) - skip_; set < to; set += period_)
      observer.overhead(Overhead::skip, {set, set + skip_});
  }

 private:
  std::int64_t flit_of(std::int64_t byte) const { return byte / spec_.packets.count(); }
  Time flit_start(std::int64_t flit) const { return period_ * (flit / per_period_) + flit_ * (flit % per_period_); }
  /// From a flit's start to that of one of its bytes.
  Time offset(std::int64_t byte) const {
    const auto all = static_cast<Wide>(byte) * flit_.fs() + spec_.size.count() - 1;
    return Time::from_fs(static_cast<std::int64_t>(all / spec_.size.count()));
  }
  Time start(std::int64_t byte) const { return flit_start(flit_of(byte)) + offset(byte % spec_.packets.count()); }
  Time end_of_byte(std::int64_t byte) const {
    const std::int64_t in = byte % spec_.packets.count() + 1;
    return flit_start(flit_of(byte)) + (in == spec_.packets.count() ? flit_ : offset(in));
  }
  /// The flit under way at `t`, or the one behind the ordered set that is, and how much of it has passed.
  struct Under {
    std::int64_t flit;
    Time passed;
  };
  Under under_way(Time t) const {
    const std::int64_t periods = t / period_;
    const Time in = t - period_ * periods;
    if (in >= flit_ * per_period_) return {(periods + 1) * per_period_, Time::zero()};
    return {periods * per_period_ + in / flit_, in - flit_ * (in / flit_)};
  }
  /// The first byte of packets that starts at `t` or later.
  std::int64_t first_from(Time t) const {
    const Under u = under_way(t);
    // Starts are rounded up: one that is a fraction of a femtosecond before `t` counts.
    const std::int64_t before = std::max(u.passed.fs() - 1, std::int64_t{-1});
    const std::int64_t byte =
        before < 0 ? 0 : static_cast<std::int64_t>(static_cast<Wide>(before) * spec_.size.count() / flit_.fs()) + 1;
    return u.flit * spec_.packets.count() + std::min(byte, spec_.packets.count());
  }
  /// The first flit whose bytes behind those of packets have not begun at `t`.
  std::int64_t telling(Time t) const {
    const Under u = under_way(t);
    return u.passed <= offset(spec_.packets.count()) ? u.flit : u.flit + 1;
  }

  FlitSpec spec_;
  Time skip_;
  Time flit_;                      // that one takes
  Time period_;                    // from an ordered set to the next, flits and all
  std::int64_t per_period_;        // flits between them
  std::int64_t next_ = 0;          // the first byte that no packet has taken
  std::int64_t first_ = 0;         // of the packet placed last
  std::int64_t looked_at_ = 0;     // the first flit that may still turn out wrong
  flow::Ring<std::int64_t> told_;  // flits with an update
};

}  // namespace tsunagi::net
