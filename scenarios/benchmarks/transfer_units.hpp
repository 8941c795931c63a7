// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "stats/random.hpp"
#include "units/bytes.hpp"

namespace tsunagi::scenarios {

/// In which order the units of a window are accessed.
enum class UnitOrder : std::uint8_t { sequential, random };

/// A window of host memory that small transfers go through: each has a unit of whole cache lines of its own and begins
/// `offset` behind the unit's first byte (Neugebauer et al., SIGCOMM 2018, section 4).
struct TransferUnits {
  static constexpr Bytes line{64};
  Bytes window;
  Bytes size;
  Bytes offset;

  Bytes unit() const { return line * units_of(size + offset, line); }
  /// Whole units in the window; 0: it does not hold one.
  std::int64_t count() const { return window / unit(); }
  /// Where transfer `number` begins if they go through the window from its first unit on, round and round.
  Bytes at(std::int64_t number) const { return unit() * (number % count()) + offset; }
  /// Where `n` transfers begin; `random` draws units if they are drawn, all alike.
  std::vector<Bytes> places(std::int64_t n, UnitOrder order, stats::RandomStream& random) const;
};

}  // namespace tsunagi::scenarios
