// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "runner/run_config.hpp"

namespace tsunagi::app {

/// What a file describes that can be built: a run, or a machine alone.
struct Built {
  RunConfig run;
  config::Document document;  ///< where its values were written
  std::string root;           ///< pointer of the document in the run: "/machine" where it is the machine
};

/// A type of config file that users write.
struct FileKind {
  std::string name;  ///< "run"
  std::string doc;   ///< one line
  /// Whether a document with these top-level keys is meant to be one.
  bool (*recognise)(const config::Value& root);
  /// Checks it; throws config::ConfigError. Returns what is to be built, to check the rest in a process of its own.
  std::optional<Built> (*check)(const config::Document& document);
  /// Its JSON Schema.
  nlohmann::ordered_json (*schema)();
};

/// Every type of file, in the order in which they are recognised.
const std::vector<FileKind>& file_kinds();

}  // namespace tsunagi::app
