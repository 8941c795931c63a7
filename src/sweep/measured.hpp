// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "report/recorder.hpp"

namespace tsunagi::sweep {

/// One value of a row, measured or derived.
struct Measured {
  std::string name;  ///< "latency"
  std::string unit;  ///< "fs", "bytes", "bytes_per_second", or empty for counts and text
  std::string key;   ///< name with unit as `run --format json` has it: "latency_fs"
  std::variant<std::int64_t, double, std::string> value;
};

/// All values of a row in order, then the derived rates that it has.
std::vector<Measured> measured(const report::Rows& rows, const report::Row& row);

/// Names of the axes' columns, all different whatever their case: "_axis" is added to one that is in `taken`, or that
/// an axis before it has.
std::vector<std::string> axis_columns(const std::vector<std::string>& axes, std::vector<std::string> taken);

}  // namespace tsunagi::sweep
