// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"

namespace tsunagi::app {

/// A type of config file that users write.
struct FileKind {
  std::string name;  ///< "run"
  std::string doc;   ///< one line
  /// Whether a document with these top-level keys is meant to be one.
  bool (*recognise)(const config::Value& root);
  /// Checks it; throws config::ConfigError.
  void (*check)(const config::Document& document);
  /// Its JSON Schema.
  nlohmann::ordered_json (*schema)();
};

/// Every type of file, in the order in which they are recognised.
const std::vector<FileKind>& file_kinds();

}  // namespace tsunagi::app
