// SPDX-License-Identifier: Apache-2.0
// Internal to src/config: "$use" composition of several files into one document.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/message.hpp"
#include "config/value.hpp"

namespace tsunagi::config::detail {

/// Replaces every {"$use": "file", …} by the file's object with the keys beside "$use" laid over it.
/// What goes wrong becomes a message, and the object concerned is marked incomplete.
class Composer {
 public:
  explicit Composer(std::vector<Message>& messages) : messages_(messages) {}

  /// Reads and composes a whole file, the root of a document.
  std::optional<Value> root_file(const std::filesystem::path& file);
  /// Composes a value whose relative "$use" names start at `folder`; `pointer` is its place in the document.
  Value compose(Value value, const std::filesystem::path& folder, const std::string& pointer);

 private:
  struct Open {
    std::filesystem::path identity;
    std::string name;
  };

  void compose_members(Value& value, const std::filesystem::path& folder, const std::string& pointer);
  std::optional<Value> used_file(const Value& use, const std::filesystem::path& folder, const std::string& pointer);
  std::string chain(const std::filesystem::path& again, const std::string& name) const;

  std::vector<Message>& messages_;
  std::vector<Open> open_;
  std::map<std::string, std::optional<Value>> files_;
};

/// Lays `over` over `base`: objects merge, everything else replaces. A replaced value loses its "$sources" entry
/// unless `over` brings one.
void merge(Value& base, Value over);

}  // namespace tsunagi::config::detail
