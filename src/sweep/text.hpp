// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace tsunagi::sweep {

/// A field of a line of comma-separated values (RFC 4180).
std::string csv_field(const std::string& text);

/// The value of a coordinate as JSON: what it is, or a string.
nlohmann::ordered_json json_value(const std::string& coordinate);

/// A JSON value as a line.
std::string json_line(const nlohmann::ordered_json& value);

}  // namespace tsunagi::sweep
