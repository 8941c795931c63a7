// SPDX-License-Identifier: Apache-2.0
// Values given on the command line.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "config/message.hpp"

namespace tsunagi::config {

struct Document;

/// One `--set POINTER=VALUE`: a JSON pointer (RFC 6901) or a path of many places (config/places.hpp), and JSON text or,
/// if it is no JSON, a plain string.
struct Override {
  std::string pointer;
  std::string value;
  std::string said = {};  // the path that the pointer is a place of
};

/// Splits "POINTER=VALUE" at the first '=' that stands in no brackets. Throws ConfigError when there is none, or no
/// POINTER.
Override parse_override(std::string_view text);

/// What a document says with all defaults, as far as it can be read: a path has its places there, too.
using Resolver = std::function<nlohmann::ordered_json(const Document&)>;

/// Applies overrides in order. A path of many places sets all that it has when its turn comes; to have none is a
/// problem of the document.
void apply(Document& document, const std::vector<Override>& overrides, const Resolver& resolver = {});

/// Writes out what a document leaves to defaults on the way to a place that `resolved` has, so that an override finds
/// it.
void spell_out(Document& document, const nlohmann::ordered_json& resolved, const std::string& pointer);

namespace detail {

/// Sets one value in a composed document, making missing parent objects. What is in the way becomes a problem of it.
/// The override has a JSON pointer.
void apply_override(Document& document, const Override& override);

/// Why a key that stands for a file cannot be set alone; "" for other keys.
std::string directive_refused(std::string_view key);

}  // namespace detail
}  // namespace tsunagi::config
