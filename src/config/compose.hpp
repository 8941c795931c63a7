// SPDX-License-Identifier: Apache-2.0
// Internal to src/config: composition of several files into one document, by "$use" and "$lines".
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/message.hpp"
#include "config/value.hpp"

namespace tsunagi::config::detail {

/// What a document may be, with all that it uses. Whoever walks over one needs stack and time for no more.
constexpr std::size_t most_levels = 40;         // of objects and arrays inside each other
constexpr std::size_t most_open_files = 100;    // that use each other in a row
constexpr std::size_t most_values = 1'000'000;  // read from a file
constexpr std::size_t most_used = 4'000'000;    // values that are laid down by all "$use" and "$lines" together

/// Replaces every {"$use": "file", …} by the object of the file, or of the one that has that name (named_files.hpp),
/// with the keys beside "$use" laid over it, and every
/// {"$lines": "file"} by an array of the strings that are the lines of a text file. Each file is read and composed
/// once. What goes wrong becomes a message, and the object concerned is marked incomplete; lines that cannot be had are
/// left out of the object that they were for.
class Composer {
 public:
  explicit Composer(std::vector<Message>& messages) : messages_(messages) {}

  /// Reads and composes a whole file, the root of a document.
  std::optional<Value> root_file(const std::filesystem::path& file);
  /// Composes a value, `depth` levels inside a document, whose relative file names start at `folder`; `pointer` is
  /// its place in the document.
  Value compose(Value value, const std::filesystem::path& folder, const std::string& pointer, std::size_t depth = 0);

  /// All files that were read, as they were named.
  const std::vector<std::filesystem::path>& files() const { return read_; }

 private:
  struct Open {
    std::filesystem::path identity;
    std::string name;
  };
  /// A file that is to be used.
  struct Source {
    std::filesystem::path file;
    bool lines;  ///< of lines, not of JSON
    /// Of the file that uses it; messages show what files in it, or below, hold.
    std::filesystem::path folder;
  };
  /// A used file, composed; no value: it cannot be used, as was told if `why` is empty.
  struct Used {
    std::optional<Value> value;
    Size size;
    std::string why;
  };

  void compose_members(Value& value, const std::filesystem::path& folder, const std::string& pointer,
                       std::size_t depth);
  Value lines_value(const Value& object, const std::filesystem::path& folder, const std::string& pointer,
                    std::size_t depth);
  /// What the file brings that `name`, the value of `directive`, names; nothing: why not was told.
  std::optional<Value> used_value(const Value& name, const char* directive, const std::filesystem::path& folder,
                                  const std::string& pointer, std::size_t depth);
  const Used& used_file(const Source& source, const std::string& pointer, std::size_t depth);
  Used read_used_file(const Source& source, const std::string& pointer, std::size_t depth);
  std::optional<std::string> circle(const std::filesystem::path& file) const;

  std::vector<Message>& messages_;
  std::vector<Open> open_;
  std::map<std::pair<std::string, bool>, Used> files_;  // by name, and whether it is a file of lines
  std::vector<std::filesystem::path> read_;
  std::size_t values_ = 0;
};

/// Lays `over` over `base`: objects merge, everything else replaces. A replaced value loses its "$sources" entry
/// unless `over` brings one.
void merge(Value& base, Value over);

}  // namespace tsunagi::config::detail
