// SPDX-License-Identifier: Apache-2.0
// The file that is imported, and what is found wrong or worth telling in it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "config/message.hpp"

namespace tsunagi::importing {

/// A text of others and its places. Holds no copy: the text outlives it.
class Source {
 public:
  /// `file`: what messages call it.
  Source(std::string file, std::string_view text);

  std::string_view text() const { return text_; }
  const std::string& file() const { return *file_; }
  /// Line and column (in characters, from 1 on) of a byte; of the end for all behind it.
  config::Place at(std::size_t offset) const;
  /// Line `number`, from 1 on, at column 1.
  config::Place line(std::size_t number) const { return {file_, static_cast<int>(number), 1}; }
  std::size_t line_count() const { return begins_.size(); }
  /// The text of line `number`, from 1 on, without "\n" and a "\r" before it.
  std::string_view line_text(std::size_t number) const;

 private:
  std::shared_ptr<const std::string> file_;
  std::string_view text_;
  std::vector<std::size_t> begins_;  // of each line
};

/// Errors, which end an import when all of them are known, and warnings, which go with its result.
class Findings {
 public:
  /// Behind so many errors nobody reads on; so many different warnings are told.
  static constexpr std::size_t most_errors = 200, most_warnings = 200;

  void fail(config::Place place, std::string text);
  /// What is told several times in the same words is one warning, at the first of its places.
  void warn(config::Place place, std::string text);

  bool is_full() const { return errors_.size() >= most_errors; }
  bool failed() const { return !errors_.empty(); }
  /// Throws config::ConfigError if there is any error.
  void throw_if_failed() const { config::throw_if_any(errors_); }
  /// In the order in which they were found; of several places, how many.
  std::vector<config::Message> warnings() const;

 private:
  std::vector<config::Message> errors_;
  std::vector<std::pair<config::Message, int>> warnings_;
  std::size_t more_warnings_ = 0;
  std::unordered_map<std::string, std::size_t> told_;  // looked up only
};

/// Words of others as part of a // comment: one line whatever is in them, at most 100 characters, and nothing that
/// would end a comment of either kind.
std::string comment(std::string_view text);

/// Words without blanks (and tabs) around them, and split at these.
std::string_view trimmed(std::string_view text);
std::vector<std::string_view> words_of(std::string_view text);

/// A whole number in these digits alone, from `least` to `most`; false: it is none.
bool parse_number(std::string_view text, int base, long least, long most, long& out);

}  // namespace tsunagi::importing
