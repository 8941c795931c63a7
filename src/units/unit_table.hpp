// SPDX-License-Identifier: Apache-2.0
// Internal to src/units: the units of each quantity, shared by parsing and printing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tsunagi::units {

constexpr std::int64_t second_in_fs = 1'000'000'000'000'000;

/// `size` base units (fs, bytes, bits, hertz, um) make one of this unit.
struct Unit {
  std::string_view name;
  std::int64_t size;
};

/// Units of one quantity, largest first; the ones from `first_alias` on are read but never printed.
struct UnitTable {
  std::string_view quantity;  // "time"
  std::string_view example;   // "120 ns"
  std::string_view finest;    // "1 fs", as told to one who writes something finer
  std::vector<Unit> units;
  std::size_t first_alias;
};

const UnitTable& time_units();
const UnitTable& bytes_units();
/// Sizes in bits a second.
const UnitTable& rate_units();
const UnitTable& frequency_units();
const UnitTable& transfer_rate_units();
const UnitTable& length_units();

}  // namespace tsunagi::units
