// SPDX-License-Identifier: Apache-2.0
// The columns of rows as formats for programs have them: one list of names and values for all of these.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "report/axis_column.hpp"
#include "report/recorder.hpp"

namespace tsunagi::report {

/// A column of rows, measured or derived.
struct Column {
  std::string name;  ///< "latency"
  std::string unit;  ///< "fs", "bytes", "bytes_per_second", or empty for counts and text
  std::string key;   ///< name with unit: "latency_fs"
};

/// One value of a row.
struct Measured : Column {
  PlainValue value;
};

/// All columns of a table, those of cells each key once, in the order of their first appearance, then the derived
/// rates.
std::vector<Column> columns(const Rows& rows);

/// All values of a row in the order of its cells, null where it says why it has none, those of axes in base units, then
/// the derived rates that it has: whole bytes a second, six digits below 1 MB/s.
std::vector<Measured> measured(const Rows& rows, const Row& row);

/// A value as JSON.
nlohmann::ordered_json to_json(const PlainValue& value);

}  // namespace tsunagi::report
