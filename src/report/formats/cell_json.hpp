// SPDX-License-Identifier: Apache-2.0
// Cells on their way between processes and files, where nothing may get lost.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "report/recorder.hpp"

namespace tsunagi::report {

/// "time", "bytes", "count" or "text".
const char* type_of(const Cell& cell);

/// The bare value: an integer in the base unit, or text; of a time that there is none of the reason.
nlohmann::ordered_json value_of(const Cell& cell);

/// Sets the cell `name` of a row to a value of the type that `type_of` names. Throws nlohmann::json::exception if it
/// is none, std::runtime_error for another type's name.
void add_cell(Row& row, const std::string& name, const std::string& type, const nlohmann::ordered_json& value);

}  // namespace tsunagi::report
