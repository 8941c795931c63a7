// SPDX-License-Identifier: Apache-2.0
// Many places of a document by one path: "/links/*/wire/flight", "**/seed", "[kind=pcie]/rate".
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tsunagi::config {

/// A path is a JSON pointer (RFC 6901) of which a part may also be
///  - a name with "*" in it, for any characters: "*" is each key and each index, "node*" each of such a name;
///  - "**", any number of parts, none of them included;
///  - a name, or none, with conditions behind it: "[kind=pcie]" is each object that has that value, "*[lanes=8]" and
///    "wire[kind=pcie][lanes=8]", too; "*" in a value is for any characters.
/// A path that does not begin with "/" begins anywhere: "[kind=pcie]/rate" is "/**/[kind=pcie]/rate". What an object
/// has as a key is that key, whatever is in it.
///
/// Whether a path is more than a JSON pointer.
bool is_pattern(std::string_view path);

/// Length of the path in "PATH=VALUE": up to the first "=" that stands in no brackets; npos if there is none.
std::size_t path_length(std::string_view text);

/// The path without its conditions, as names are made of it: "wire[kind=pcie]/rate" as "wire/rate".
std::string without_conditions(std::string_view path);

/// The places of a path in some trees, as JSON pointers in the order in which they stand there; or, if there is none,
/// which part of the path was the first to have no place, and what there was. No star stands for keys that begin with
/// "$".
struct Places {
  std::vector<std::string> pointers;
  std::string fault;
};
Places find_places(std::string_view path, const std::vector<const nlohmann::ordered_json*>& trees);

}  // namespace tsunagi::config
