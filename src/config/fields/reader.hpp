// SPDX-License-Identifier: Apache-2.0
// The strict reader: a document into config structs, every fault told with its place.
#pragma once

#include <functional>

#include "config/describe.hpp"
#include "config/document.hpp"

namespace tsunagi::config {

namespace detail {

/// Describes the struct that stands for the document's root.
using Body = std::function<void(Describer&)>;

void read_root(const Document& document, const Kinds& kinds, const Body& body,
               std::vector<Message>* warnings = nullptr);

}  // namespace detail

/// Reads the whole document as a C. Fields it lacks keep C's defaults. Throws ConfigError with everything that is
/// wrong: unknown keys and kinds, wrong types and units, missing fields, values out of range, broken rules,
/// "$sources" that do not fit, and the document's own problems. What is odd, but works, is added to `warnings`; of
/// parts that are used many times once.
template <class C>
C read(const Document& document, const Kinds& kinds, std::vector<Message>* warnings = nullptr) {
  C config{};
  detail::read_root(
      document, kinds, [&config](Describer& d) { describe_config(config, d); }, warnings);
  return config;
}

/// Reads the whole document as one kind of `family` (a part file: {"kind": …, …}). Throws ConfigError.
AnyConfig read_any(const Document& document, const Kinds& kinds, std::string_view family);

}  // namespace tsunagi::config
