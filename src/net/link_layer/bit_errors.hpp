// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <string_view>

#include "net/specs.hpp"
#include "units/bytes.hpp"

namespace tsunagi::net {

/// Seeded bit errors of one direction of a wire: a random stream of its own, so that what happens on
/// one wire never depends on another. Uses only arithmetic that is equal on every machine.
class BitErrors {
 public:
  /// `rate`: probability that a bit is wrong, 0 .. 1. `name` is the wire's.
  BitErrors(double rate, std::uint64_t seed, std::string_view name) : good_(1 - rate), random_(mix(seed, name)) {}

  /// Whether `n` bytes on the wire hold at least one wrong bit.
  bool hit(Bytes n) { return next() >= power(good_, 8 * n.count()); }
  /// Whether something of that probability happens.
  bool happens(double probability) { return next() < probability; }
  /// Whether a link-layer packet is lost: by its own bits, or with its flit.
  bool hit_link_layer(const WireSpec& w) {
    return w.flits.any() ? happens(w.flits.error_rate) : hit(w.link_layer.dllp);
  }

 private:
  /// 0 .. 1, 1 left out.
  double next() { return static_cast<double>(random_() >> 11) * 0x1p-53; }
  static double power(double x, std::int64_t n) {
    double r = 1;
    for (; n > 0; n >>= 1, x *= x)
      if (n & 1) r *= x;
    return r;
  }
  static std::uint64_t mix(std::uint64_t seed, std::string_view name) {
    std::uint64_t h = 0xcbf29ce484222325u ^ seed;  // FNV-1a
    for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return h;
  }
  double good_;
  std::mt19937_64 random_;
};

}  // namespace tsunagi::net
