// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "units/time.hpp"

namespace tsunagi {

/// A distance, in whole micrometres.
class Length {
 public:
  constexpr Length() = default;
  constexpr explicit Length(std::int64_t um) : um_(um) {}
  static constexpr Length zero() { return Length(0); }

  constexpr std::int64_t um() const { return um_; }

  friend constexpr bool operator==(Length a, Length b) { return a.um_ == b.um_; }
  friend constexpr bool operator!=(Length a, Length b) { return a.um_ != b.um_; }
  friend constexpr bool operator<(Length a, Length b) { return a.um_ < b.um_; }

 private:
  std::int64_t um_ = 0;
};

inline namespace literals {
constexpr Length operator""_um(unsigned long long v) { return Length(static_cast<std::int64_t>(v)); }
constexpr Length operator""_m(unsigned long long v) { return Length(static_cast<std::int64_t>(v) * 1'000'000); }
constexpr Length operator""_km(unsigned long long v) { return Length(static_cast<std::int64_t>(v) * 1'000'000'000); }
}  // namespace literals

/// How long a signal takes over a cable: 5 ns a metre, the group delay of silica fibre (refractive index 1.47 over
/// 299,792,458 m/s gives 4.9 ns/m) and of foamed twin-axial copper (velocity factors of 0.66 to 0.8: 4.2 to 5.1 ns/m).
constexpr Time signal_time(Length l) { return Time::from_fs(l.um() * 5); }

}  // namespace tsunagi
