// SPDX-License-Identifier: Apache-2.0
// Internal to src/config: what a path is made of.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tsunagi::config::detail {

/// "[key=value]".
struct Condition {
  std::string key;
  std::string value;
};

/// What stands between two "/" of a path, its escapes undone.
struct PathPart {
  std::string written;  // all of it
  std::string name;     // without conditions; "*" if they stand alone
  std::vector<Condition> conditions;
  bool any_depth = false;  // "**"

  bool fits_name(const std::string& key) const;
  /// Whether the value meets all conditions.
  bool fits(const nlohmann::ordered_json& value) const;
};

/// Whether `text` is `glob`, in which each "*" is for any characters.
bool fits_glob(std::string_view glob, std::string_view text);

/// Splits a path; what is wrong with it, or "".
std::string parse_path(std::string_view path, std::vector<PathPart>& out);

/// The parts of a path as written; a "/" between brackets parts nothing.
std::vector<std::string_view> split_path(std::string_view path);

}  // namespace tsunagi::config::detail
