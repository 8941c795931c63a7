// SPDX-License-Identifier: Apache-2.0
// Internal to src/config: walks over JSON text token by token, counting lines and columns.
#pragma once

#include <string_view>

namespace tsunagi::config::detail {

/// What a text may begin with; nobody means it.
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// Finds the tokens of JSON text (with comments). It does not judge them: that is the parser's work, which
/// runs beside it and tells no positions.
class TextCursor {
 public:
  /// Where a token starts, and its characters; the token at the end of the text is empty.
  struct Token {
    int line = 1;
    int column = 1;
    std::string_view text;
  };

  explicit TextCursor(std::string_view text);

  /// The next token; every bracket, comma and colon is one.
  Token next();
  /// The next token that is neither comma nor colon.
  Token next_value();
  /// Bytes walked over so far.
  std::size_t offset() const { return at_; }
  bool at_end() const { return at_ == text_.size(); }

 private:
  void step();
  void skip_blanks();
  bool starts_with(std::string_view word) const { return text_.substr(at_, word.size()) == word; }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  int column_ = 1;
};

}  // namespace tsunagi::config::detail
