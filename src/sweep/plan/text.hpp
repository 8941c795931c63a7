// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tsunagi::sweep {

/// The value of a coordinate as JSON: what it is, or a string.
nlohmann::ordered_json json_value(const std::string& coordinate);

/// A JSON value as a line.
std::string json_line(const nlohmann::ordered_json& value);

/// The shortest end of `path`, in whole parts between "/", that no other one of `paths` ends with and that is `good`;
/// all of it, without a "/" in front, if there is none.
std::string shortest_end(const std::vector<std::string>& paths, const std::string& path,
                         const std::function<bool(const std::string&)>& good);

}  // namespace tsunagi::sweep
