// SPDX-License-Identifier: Apache-2.0
// Columns of numbers for people: one unit a column, so that its cells can be compared by eye. Cells have as many
// decimals as each other, and right-aligned their points stand below each other. The unit is that of the smallest value
// (but 0), which keeps three digits; a coarser one where the largest is 10,000 or more and the column gets narrower.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "units/bytes.hpp"
#include "units/time.hpp"

namespace tsunagi::report {

/// Times: "0.901 us", "298.376 us"; "" of nothing.
std::vector<std::string> times_in_one_unit(const std::vector<std::optional<Time>>& times);

/// Rates in bytes a second: "3.34 MB/s", "3514.19 MB/s"; "-" for 0.
std::vector<std::string> rates_in_one_unit(const std::vector<double>& bytes_per_second);

/// Amounts, exact, with the largest binary prefix that divides all: "8000 B", "1024000 B"; "" of nothing.
std::vector<std::string> bytes_in_one_unit(const std::vector<std::optional<Bytes>>& amounts);

/// Shares in a million, exact: "5.0 %", "12.5 %"; "" of nothing.
std::vector<std::string> shares_in_percent(const std::vector<std::optional<std::int64_t>>& ppm);

}  // namespace tsunagi::report
