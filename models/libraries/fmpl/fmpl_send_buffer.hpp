// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>

#include "units/bytes.hpp"

namespace tsunagi::libraries {

/// The area of a rank that keeps the data of sends whose receives have not been posted (paper 002, 3.2.1:
/// fmpl_sendbuf_set): which parts of it are taken. A message gets the first gap that holds it. Pure.
class FmplSendBuffer {
 public:
  /// What is taken is a multiple of that.
  static constexpr Bytes unit{8};

  /// What a message of `n` bytes takes of it.
  static Bytes taken_by(Bytes n) { return unit * std::max<std::int64_t>(1, units_of(n, unit)); }

  explicit FmplSendBuffer(Bytes size = {}) : size_(size) {}
  /// Where `n` > 0 bytes would get in; none: there is no room.
  std::optional<Bytes> room(Bytes n) const;
  /// Takes that place.
  void take(Bytes at, Bytes n) { taken_[at] = at + unit * units_of(n, unit); }
  /// What was taken from `at` on is free.
  void give_back(Bytes at) { taken_.erase(at); }

 private:
  Bytes size_;
  std::map<Bytes, Bytes> taken_;  // from, to
};

}  // namespace tsunagi::libraries
