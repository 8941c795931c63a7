// SPDX-License-Identifier: Apache-2.0
// Config structs to JSON Schema (draft 2020-12), for editors and for checking configs elsewhere.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "config/describe.hpp"
#include "config/fields/reader.hpp"

namespace tsunagi::config {

namespace detail {

nlohmann::ordered_json json_schema(const Body& body, const Kinds& kinds, const std::string& title);

}  // namespace detail

/// The schema of documents that `read<C>` takes. Each family of kinds in use is one "$defs" entry discriminated by
/// "kind". What a "$use" may bring from another file is not required beside it.
template <class C>
nlohmann::ordered_json json_schema(const Kinds& kinds, const std::string& title) {
  C prototype{};
  return detail::json_schema([&prototype](Describer& d) { describe_config(prototype, d); }, kinds, title);
}

/// The schema of a part file of any kind of these families.
nlohmann::ordered_json part_schema(const std::vector<std::string>& families, const Kinds& kinds,
                                   const std::string& title);

/// The schema of a part file of that kind.
nlohmann::ordered_json part_schema(const Kind& kind, const Kinds& kinds);

}  // namespace tsunagi::config
