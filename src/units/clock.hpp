// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include "units/time.hpp"
#include "units/wide.hpp"

namespace tsunagi {

/// A frequency in whole hertz. > 0.
class Frequency {
 public:
  constexpr Frequency() = default;
  constexpr explicit Frequency(std::int64_t hz) : hz_(hz) {}
  constexpr std::int64_t hz() const { return hz_; }
  friend constexpr bool operator==(Frequency a, Frequency b) { return a.hz_ == b.hz_; }
  friend constexpr bool operator!=(Frequency a, Frequency b) { return a.hz_ != b.hz_; }

 private:
  std::int64_t hz_ = 1;
};

/// The edges of a clock that started at time 0. Edge k lies at k/f, rounded up
/// to whole femtoseconds; nothing accumulates, so edge 2.6e9 of a 2.6 GHz clock is at 1 s.
class Clock {
 public:
  constexpr explicit Clock(Frequency f)
      : hz_(f.hz()),
        period_(second % f.hz() == 0 ? second / f.hz() : 0),
        floor_(second / f.hz()),
        rest_(second % f.hz()),
        few_(std::numeric_limits<std::int64_t>::max() / f.hz() - 1),
        rate_(static_cast<double>(f.hz()) / static_cast<double>(second)),
        inverse_(period_ > 1 ? ~std::uint64_t{0} / static_cast<std::uint64_t>(period_) : 0) {}

  constexpr Time edge(std::int64_t k) const {
    if (period_ != 0) return Time::from_fs(k * period_);
    // 128 bits are divided only where 64 are not enough.
    if (k >= 0 && k <= few_) return Time::from_fs(k * floor_ + (k * rest_ + hz_ - 1) / hz_);
    return Time::from_fs(static_cast<std::int64_t>((static_cast<Wide>(k) * second + hz_ - 1) / hz_));
  }
  /// Number of the first edge at or after `t` (t >= 0).
  constexpr std::int64_t index_at_or_after(Time t) const {
    if (period_ != 0) return at_or_after(t).fs() / period_;
    // Rounding of the guess moves nothing: the edges decide. They lie floor_ or one more apart: mostly one is enough.
    auto k = static_cast<std::int64_t>(static_cast<double>(t.fs()) * rate_);
    const std::int64_t late = edge(k).fs() - t.fs();
    if (late >= 0 && late < floor_) return k;
    if (late < 0 && late >= -floor_) return k + 1;
    while (edge(k) < t) ++k;
    while (k > 0 && edge(k - 1) >= t) --k;
    return k;
  }
  constexpr Time at_or_after(Time t) const { return after(t, 0); }
  /// `n` cycles after the first edge at or after `t`. Inlined by force: once a packet-hop (docs/decisions.md).
  [[gnu::always_inline]] constexpr Time after(Time t, std::int64_t n) const {
    if (period_ == 0) return edge(index_at_or_after(t) + n);
    const std::int64_t v = t.fs() + period_ - 1;
    return Time::from_fs(v - past_edge(v) + n * period_);
  }
  /// Cycles are exactly so long; zero if they are not whole femtoseconds.
  constexpr Time whole_period() const { return Time::from_fs(period_); }
  constexpr Frequency frequency() const { return Frequency(hz_); }
  /// Duration of `n` cycles counted from time 0.
  constexpr Time cycles(std::int64_t n) const { return edge(n); }

 private:
  /// v % period_ by a multiplication: a clock is asked several times a packet-hop, and a division takes
  /// as long as the rest of it. The estimate of the quotient is at most two too small.
  constexpr std::int64_t past_edge(std::int64_t v) const {
    if (inverse_ == 0) return v % period_;
    const auto q =
        static_cast<std::int64_t>((static_cast<UnsignedWide>(static_cast<std::uint64_t>(v)) * inverse_) >> 64);
    std::int64_t rest = v - q * period_;
    while (rest >= period_) rest -= period_;
    return rest;
  }
  static constexpr std::int64_t second = 1'000'000'000'000'000;
  std::int64_t hz_;
  std::int64_t period_;    // exact period in fs, or 0 if it is not whole
  std::int64_t floor_;     // whole femtoseconds of it,
  std::int64_t rest_;      // and what is left of a second, in femtoseconds, when each of its cycles has taken so long
  std::int64_t few_;       // so many cycles are counted in 64 bits
  double rate_;            // cycles a femtosecond, nearly
  std::uint64_t inverse_;  // 2^64 / period, rounded down
};

}  // namespace tsunagi
