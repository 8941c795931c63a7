// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace tsunagi::sweep {

/// The value of a coordinate as JSON: what it is, or a string.
nlohmann::ordered_json json_value(const std::string& coordinate);

/// A JSON value as a line.
std::string json_line(const nlohmann::ordered_json& value);

}  // namespace tsunagi::sweep
