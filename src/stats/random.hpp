// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/random/mersenne_twister.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <cstdint>
#include <string_view>

#include "units/time.hpp"
#include "units/wide.hpp"

namespace tsunagi::stats {

/// A named random stream: what one user draws never depends on another. Integers only, so that
/// the draws are the same on every machine and compiler.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::string_view name) : random_(mix(seed, name)) {}

  std::uint64_t bits() { return random_(); }
  /// Uniform in 0 .. n-1, n > 0.
  std::int64_t below(std::int64_t n) {
    return boost::random::uniform_int_distribution<std::int64_t>(0, n - 1)(random_);
  }
  /// True with probability `n` of `whole`.
  bool chance(std::int64_t n, std::int64_t whole = 1'000'000) { return below(whole) < n; }
  /// Exponentially distributed with mean `mean`, rounded down to femtoseconds. Von Neumann's comparison method
  /// ("Various techniques used in connection with random digits", 1951): exact, without a logarithm.
  Time exponential(Time mean) {
    for (std::int64_t whole = 0;; ++whole) {
      const std::uint64_t first = bits();
      bool odd = true;
      for (std::uint64_t last = first, next; (next = bits()) < last; last = next) odd = !odd;
      if (!odd) continue;
      __extension__ typedef unsigned __int128 Product;
      const auto part =
          static_cast<std::int64_t>((static_cast<Product>(first) * static_cast<std::uint64_t>(mean.fs())) >> 64);
      return mean * whole + Time::from_fs(part);
    }
  }
  /// Failures before the first success of trials that succeed with probability `n` of `whole`, n > 0.
  std::int64_t failures(std::int64_t n, std::int64_t whole = 1'000'000) {
    std::int64_t count = 0;
    while (!chance(n, whole)) ++count;
    return count;
  }

 private:
  static std::uint64_t mix(std::uint64_t seed, std::string_view name) {
    std::uint64_t h = 0xcbf29ce484222325u ^ seed;  // FNV-1a
    for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return h;
  }
  boost::random::mt19937_64 random_;
};

}  // namespace tsunagi::stats
