// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

namespace tsunagi {

/// A point in simulated time or a duration, in whole femtoseconds (1 fs is the
/// kernel's resolution). Range about +-9,223 s; additions are not checked.
class Time {
 public:
  constexpr Time() = default;
  static constexpr Time from_fs(std::int64_t fs) { return Time(fs); }
  static constexpr Time zero() { return Time(0); }
  /// Later than anything that can be scheduled: "never".
  static constexpr Time max() { return Time(std::numeric_limits<std::int64_t>::max()); }

  constexpr std::int64_t fs() const { return fs_; }

  constexpr Time& operator+=(Time o) {
    fs_ += o.fs_;
    return *this;
  }
  constexpr Time& operator-=(Time o) {
    fs_ -= o.fs_;
    return *this;
  }
  friend constexpr Time operator+(Time a, Time b) { return Time(a.fs_ + b.fs_); }
  friend constexpr Time operator-(Time a, Time b) { return Time(a.fs_ - b.fs_); }
  friend constexpr Time operator*(Time a, std::int64_t k) { return Time(a.fs_ * k); }
  friend constexpr Time operator*(std::int64_t k, Time a) { return Time(a.fs_ * k); }
  /// Whole number of times `b` fits into `a`.
  friend constexpr std::int64_t operator/(Time a, Time b) { return a.fs_ / b.fs_; }

  friend constexpr bool operator==(Time a, Time b) { return a.fs_ == b.fs_; }
  friend constexpr bool operator!=(Time a, Time b) { return a.fs_ != b.fs_; }
  friend constexpr bool operator<(Time a, Time b) { return a.fs_ < b.fs_; }
  friend constexpr bool operator>(Time a, Time b) { return a.fs_ > b.fs_; }
  friend constexpr bool operator<=(Time a, Time b) { return a.fs_ <= b.fs_; }
  friend constexpr bool operator>=(Time a, Time b) { return a.fs_ >= b.fs_; }

 private:
  constexpr explicit Time(std::int64_t fs) : fs_(fs) {}
  std::int64_t fs_ = 0;
};

inline namespace literals {
constexpr Time operator""_fs(unsigned long long v) { return Time::from_fs(static_cast<std::int64_t>(v)); }
constexpr Time operator""_ps(unsigned long long v) { return Time::from_fs(static_cast<std::int64_t>(v) * 1000); }
constexpr Time operator""_ns(unsigned long long v) { return Time::from_fs(static_cast<std::int64_t>(v) * 1'000'000); }
constexpr Time operator""_us(unsigned long long v) {
  return Time::from_fs(static_cast<std::int64_t>(v) * 1'000'000'000);
}
constexpr Time operator""_ms(unsigned long long v) {
  return Time::from_fs(static_cast<std::int64_t>(v) * 1'000'000'000'000);
}
constexpr Time operator""_s(unsigned long long v) {
  return Time::from_fs(static_cast<std::int64_t>(v) * 1'000'000'000'000'000);
}
}  // namespace literals

}  // namespace tsunagi
