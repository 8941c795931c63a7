// SPDX-License-Identifier: Apache-2.0
// Config structs back to JSON, with every default filled in.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "config/describe.hpp"
#include "config/fields/reader.hpp"

namespace tsunagi::config {

/// A field that names an ideal value (`ideal(...)`): the value at which it no longer limits anything.
struct IdealField {
  std::string pointer;           // JSON pointer, fit for an Override
  std::string family;            // of the part that it belongs to; empty outside any part
  std::string kind;              // of that part
  std::string key;               // its place in that part, list indices left out: "dma.tags"
  std::string doc;               // what it is
  std::string value;             // as it is, "120 ns"
  nlohmann::ordered_json ideal;  // as a config would say it, "0 ns"
  bool is_ideal = false;         // value and ideal are the same
  std::string limit;             // what it limits together with other parts' fields; empty: alone
  std::string follows;           // pointer of the field that says its value unless it is written; empty: none
};

namespace detail {

nlohmann::ordered_json resolved(const Body& body);
std::vector<IdealField> ideals(const Body& body);

}  // namespace detail

/// The config as resolved: every field in describe order, quantities in canonical units. Reading it back and
/// resolving again gives the same JSON. An empty AnyConfig is left out.
template <class C>
nlohmann::ordered_json resolved(C& config) {
  return detail::resolved([&config](Describer& d) { describe_config(config, d); });
}

/// Resolves documents of Cs, as far as they can be read. `kinds` must outlive it.
template <class C>
Resolver resolver(const Kinds& kinds) {
  return [&kinds](const Document& document) {
    C config{};
    try {
      detail::read_root(document, kinds, [&config](Describer& d) { describe_config(config, d); });
    } catch (const ConfigError&) {
      // Whoever reads the document tells what is wrong with it.
    }
    return resolved(config);
  };
}

/// Every field that names an ideal value, in describe order, chosen kinds and lists included.
template <class C>
std::vector<IdealField> ideals(C& config) {
  return detail::ideals([&config](Describer& d) { describe_config(config, d); });
}

}  // namespace tsunagi::config
