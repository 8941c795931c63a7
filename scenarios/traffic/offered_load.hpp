// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "units/rate.hpp"

namespace tsunagi::scenarios {

/// A load that ranks offer: a share of their injection rate ("30 %", kept to the nearest millionth) or a payload rate
/// ("2 GB/s").
struct OfferedLoad {
  /// The injection rate, and a thousand times that, in a million parts of it.
  static constexpr std::int64_t whole = 1'000'000;
  static constexpr std::int64_t most = 1000 * whole;

  std::int64_t share = 0;  // in a million; 0: `rate` says it
  Rate rate;
  /// The load in a million parts of `full`, rounded to the nearest; `most` + 1 if it is more than `most`.
  std::int64_t of(Rate full) const;
};

/// Throws std::invalid_argument, saying why.
OfferedLoad parse_load(std::string_view written);
/// What is wrong with a load as written; empty: nothing.
std::string load_error(const std::string& text);

}  // namespace tsunagi::scenarios
