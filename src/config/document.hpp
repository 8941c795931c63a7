// SPDX-License-Identifier: Apache-2.0
// A config file with everything it uses, composed and overridden, before it is read into structs.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "config/message.hpp"
#include "config/places/override.hpp"
#include "config/shared_list.hpp"
#include "config/value.hpp"

namespace tsunagi::config {

/// The composed document. `problems` holds what is wrong so far (duplicate keys, files not found, overrides that
/// lead nowhere); `read` throws them together with what it finds itself.
struct Document {
  std::string name;
  Value root;
  std::vector<Message> problems;
  /// What it was read from, as named: its own file and all that it uses, those of overrides included.
  SharedList<std::filesystem::path> files = {};
  /// The overrides, a JSON pointer each.
  std::vector<Override> applied = {};
};

/// Reads FILE, composes what it uses ("$use" and "$lines", relative to the file that says it) and applies the
/// overrides in order (a file named in one is relative to the working directory). Throws ConfigError if FILE cannot be
/// read or is no JSON.
Document load(const std::filesystem::path& file, const std::vector<Override>& overrides = {},
              const Resolver& resolver = {});

/// The same for text; `name` stands in messages, and its folder is where the files' names start.
Document parse(std::string_view text, std::string name, const std::vector<Override>& overrides = {},
               const Resolver& resolver = {});

/// The composed document as plain JSON, "$sources" included. Throws ConfigError if it has problems.
nlohmann::ordered_json to_json(const Document& document);

}  // namespace tsunagi::config
