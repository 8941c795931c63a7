// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tsunagi {

/// An amount of data or an extent of an address range, in bytes.
class Bytes {
 public:
  constexpr Bytes() = default;
  constexpr explicit Bytes(std::int64_t n) : n_(n) {}
  static constexpr Bytes zero() { return Bytes(0); }

  constexpr std::int64_t count() const { return n_; }

  constexpr Bytes& operator+=(Bytes o) {
    n_ += o.n_;
    return *this;
  }
  constexpr Bytes& operator-=(Bytes o) {
    n_ -= o.n_;
    return *this;
  }
  friend constexpr Bytes operator+(Bytes a, Bytes b) { return Bytes(a.n_ + b.n_); }
  friend constexpr Bytes operator-(Bytes a, Bytes b) { return Bytes(a.n_ - b.n_); }
  friend constexpr Bytes operator*(Bytes a, std::int64_t k) { return Bytes(a.n_ * k); }
  friend constexpr Bytes operator*(std::int64_t k, Bytes a) { return Bytes(a.n_ * k); }
  friend constexpr std::int64_t operator/(Bytes a, Bytes b) { return a.n_ / b.n_; }

  friend constexpr bool operator==(Bytes a, Bytes b) { return a.n_ == b.n_; }
  friend constexpr bool operator!=(Bytes a, Bytes b) { return a.n_ != b.n_; }
  friend constexpr bool operator<(Bytes a, Bytes b) { return a.n_ < b.n_; }
  friend constexpr bool operator>(Bytes a, Bytes b) { return a.n_ > b.n_; }
  friend constexpr bool operator<=(Bytes a, Bytes b) { return a.n_ <= b.n_; }
  friend constexpr bool operator>=(Bytes a, Bytes b) { return a.n_ >= b.n_; }

 private:
  std::int64_t n_ = 0;
};

/// Smallest number of `unit`s that holds `n` (n >= 0, unit > 0).
constexpr std::int64_t units_of(Bytes n, Bytes unit) { return (n.count() + unit.count() - 1) / unit.count(); }

/// Whole pages of 4 KiB, as memories and windows of devices are.
constexpr bool is_paged(Bytes n) { return n.count() % 4096 == 0; }

/// As a distance between addresses (n >= 0).
constexpr std::uint64_t unsigned_of(Bytes n) { return static_cast<std::uint64_t>(n.count()); }

inline namespace literals {
constexpr Bytes operator""_B(unsigned long long v) { return Bytes(static_cast<std::int64_t>(v)); }
constexpr Bytes operator""_KiB(unsigned long long v) { return Bytes(static_cast<std::int64_t>(v) << 10); }
constexpr Bytes operator""_MiB(unsigned long long v) { return Bytes(static_cast<std::int64_t>(v) << 20); }
constexpr Bytes operator""_GiB(unsigned long long v) { return Bytes(static_cast<std::int64_t>(v) << 30); }
}  // namespace literals

}  // namespace tsunagi
