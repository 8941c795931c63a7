// SPDX-License-Identifier: Apache-2.0
// What is wrong with a config, and where.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tsunagi::config {

/// Where a value was written. `file` is a file's name, or "--set /pointer" for an override.
/// Lines and columns (in characters) count from 1; line 0: the place has none.
struct Place {
  std::shared_ptr<const std::string> file;
  int line = 0;
  int column = 0;
  std::shared_ptr<const std::string> unseen = nullptr;  ///< what is written there, if messages are not to show it

  /// "run.json:3:7", or the bare name if there is no line.
  std::string text() const;
};

/// One thing that is wrong. `pointer` is the JSON pointer of the value or object meant ("" is the whole document).
struct Message {
  Place place;
  std::string pointer;
  std::string text;

  /// "run.json:3:7: /machine/links/0: unknown key \"lane\"; …"; the pointer only once if it is the --set's own. One
  /// line whatever is in it: control characters are written out. Of a place that is not to be seen nothing is shown.
  std::string line() const;
};

/// Everything that is wrong with a document, sorted by file, line and column; what() is a line for each, of many the
/// first hundred, and how many more there are.
class ConfigError : public std::runtime_error {
 public:
  static constexpr std::size_t most_lines = 100;

  explicit ConfigError(std::vector<Message> messages);
  const std::vector<Message>& messages() const { return *messages_; }

 private:
  using Messages = std::shared_ptr<const std::vector<Message>>;
  explicit ConfigError(Messages messages);

  Messages messages_;  // shared, because exceptions are copied
};

/// Throws ConfigError if there is any message.
void throw_if_any(const std::vector<Message>& messages);

/// `pointer` of an object or array, one step down: "/a" + "b/c" = "/a/b~1c".
std::string below(const std::string& pointer, std::string_view token);
/// `text` in double quotes.
std::string in_quotes(std::string_view text);

}  // namespace tsunagi::config
