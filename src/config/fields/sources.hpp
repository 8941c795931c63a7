// SPDX-License-Identifier: Apache-2.0
// "$sources": where each parameter's value comes from.
//
//   "latency": "120 ns",
//   "$sources": { "latency": { "class": "assumed", "source": "typical of such chips", "range": ["80 ns", "300 ns"] } }
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/document.hpp"

namespace tsunagi::config {

/// One "$sources" entry. `pointer` is the field's; `key` is its way from the part that has it, the object with a
/// "kind", as in "dma.step_cycles"; `source_class` is specification, datasheet, paper, measured, assumed or fitted;
/// `range` is low and high as written, or empty; `fitted_to` holds figure ids.
struct Provenance {
  std::string pointer;
  std::string key;
  std::string source_class;
  std::string source;
  std::vector<std::string> range;
  std::vector<std::string> fitted_to;
  std::string note;
  Place place;
};

/// Every "$sources" entry of the composed document, in document order. Throws ConfigError if the document has
/// problems; entries that are malformed are left to `read`.
std::vector<Provenance> provenance(const Document& document);

namespace detail {

/// Checks the form of one entry at `pointer` ("/gpu/$sources/latency").
void check_source(const Value& entry, const std::string& pointer, std::vector<Message>& messages);

}  // namespace detail
}  // namespace tsunagi::config
