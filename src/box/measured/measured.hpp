// SPDX-License-Identifier: Apache-2.0
// What an owner measured, as a file says it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "box/plan.hpp"
#include "config/message.hpp"

namespace tsunagi::box {

/// A measured cell: bytes a second, or seconds of a latency.
struct Measured {
  std::size_t from = 0;  ///< of the server's places
  std::size_t to = 0;
  What what = What::one_way;
  double value = 0;
  int line = 0;  ///< in the file
};

/// What a file says.
struct MeasuredFile {
  std::vector<Measured> cells;
  std::vector<config::Message> left_out;  ///< what has no cell, and why not
};

/// Reads what a tool printed (see tool_text.hpp), or comma-separated lines "from,to,what,value"
/// ("gpu0,gpu1,one_way,12.3 GB/s", "memory,gpu0,latency,8.5 us"), below a first line that says so in any order; empty
/// lines and such that begin with # count for nothing. A value has a unit. Throws config::ConfigError with everything
/// that is wrong, each with its line: unknown places (those of the plan's server are named) or words, wrong units, a
/// value that is not above 0, a cell that comes twice.
MeasuredFile read_measured(const std::string& file, std::string_view text, const Plan& plan);

}  // namespace tsunagi::box
