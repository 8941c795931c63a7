// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <numeric>

#include "units/bytes.hpp"
#include "units/time.hpp"
#include "units/wide.hpp"

namespace tsunagi {

/// The fraction of a femtosecond that a sequence of transfers still owes.
/// Belongs to one Rate; zero when the carrier has been idle.
struct Remainder {
  std::int64_t value = 0;
};

/// A data rate, kept as the exact ratio "femtoseconds a byte" = num/den, so that
/// Gen3 x8 is 1015625/8 fs a byte and never rounds. Rates are positive;
/// a default-constructed Rate is infinitely fast (0 fs a byte).
class Rate {
 public:
  constexpr Rate() = default;
  /// `bytes` in `fs` femtoseconds; both > 0.
  static constexpr Rate bytes_in(std::int64_t bytes, std::int64_t fs) {
    const std::int64_t g = std::gcd(bytes, fs);
    return Rate(fs / g, bytes / g);
  }
  static constexpr Rate bytes_per_second(std::int64_t n) { return bytes_in(n, 1'000'000'000'000'000); }
  static constexpr Rate infinite() { return Rate(); }

  constexpr bool is_infinite() const { return num_ == 0; }
  constexpr std::int64_t num() const { return num_; }
  constexpr std::int64_t den() const { return den_; }
  double bytes_per_second() const {
    return is_infinite() ? 0.0 : 1e15 * static_cast<double>(den_) / static_cast<double>(num_);
  }

  /// Time that `n` bytes take; what is left below 1 fs goes into `r` and is
  /// paid by a later call, so that sums are exact.
  constexpr Time time(Bytes n, Remainder& r) const {
    if (den_ == 1) return Time::from_fs(n.count() * num_);
    const Wide total = static_cast<Wide>(n.count()) * num_ + r.value;
    if (total < small) {
      const auto t = static_cast<std::int64_t>(total);
      r.value = t % den_;
      return Time::from_fs(t / den_);
    }
    r.value = static_cast<std::int64_t>(total % den_);
    return Time::from_fs(static_cast<std::int64_t>(total / den_));
  }
  /// Time that `n` bytes take alone, rounded up to whole femtoseconds.
  constexpr Time time(Bytes n) const {
    if (den_ == 1) return Time::from_fs(n.count() * num_);
    const Wide total = static_cast<Wide>(n.count()) * num_ + den_ - 1;
    return Time::from_fs(static_cast<std::int64_t>(total / den_));
  }

  /// `part` / `whole` of this finite rate (both > 0). Of a ratio that does not fit, both parts are
  /// rounded until the larger has 62 bits.
  constexpr Rate scaled(std::int64_t part, std::int64_t whole) const {
    const std::int64_t across = std::gcd(den_, whole);
    const std::int64_t back = std::gcd(part, num_);
    UnsignedWide bytes = static_cast<UnsignedWide>(den_ / across) * static_cast<UnsignedWide>(part / back);
    UnsignedWide fs = static_cast<UnsignedWide>(num_ / back) * static_cast<UnsignedWide>(whole / across);
    for (; bytes > small || fs > small; bytes = (bytes + 1) / 2) fs = (fs + 1) / 2;
    return bytes_in(static_cast<std::int64_t>(bytes), static_cast<std::int64_t>(fs));
  }

  friend constexpr bool operator==(Rate a, Rate b) { return a.num_ == b.num_ && a.den_ == b.den_; }
  friend constexpr bool operator!=(Rate a, Rate b) { return !(a == b); }
  /// Slower.
  friend constexpr bool operator<(Rate a, Rate b) {
    return static_cast<Wide>(a.num_) * b.den_ > static_cast<Wide>(b.num_) * a.den_;
  }

 private:
  static constexpr std::int64_t small = std::int64_t{1} << 62;
  constexpr Rate(std::int64_t num, std::int64_t den) : num_(num), den_(den) {}
  std::int64_t num_ = 0;
  std::int64_t den_ = 1;
};

}  // namespace tsunagi
