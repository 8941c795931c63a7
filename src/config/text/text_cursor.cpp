// SPDX-License-Identifier: Apache-2.0
#include "config/text/text_cursor.hpp"

namespace tsunagi::config::detail {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_punctuation(char c) { return c == '{' || c == '}' || c == '[' || c == ']' || c == ',' || c == ':'; }

}  // namespace

TextCursor::TextCursor(std::string_view text) : text_(text) {
  if (starts_with(byte_order_mark)) at_ = byte_order_mark.size();
}

void TextCursor::step() {
  const char c = text_[at_++];
  if (c == '\n') {
    ++line_;
    column_ = 1;
  } else if (at_ >= text_.size() || (static_cast<unsigned char>(text_[at_]) & 0xC0u) != 0x80u) {
    ++column_;  // the next byte begins a character
  }
}

void TextCursor::skip_blanks() {
  while (at_ < text_.size()) {
    if (is_blank(text_[at_])) {
      step();
    } else if (starts_with("//")) {
      while (at_ < text_.size() && text_[at_] != '\n') step();
    } else if (starts_with("/*")) {
      step();
      step();
      while (at_ < text_.size() && !starts_with("*/")) step();
      for (int i = 0; i < 2 && at_ < text_.size(); ++i) step();
    } else {
      return;
    }
  }
}

TextCursor::Token TextCursor::next() {
  skip_blanks();
  Token token{line_, column_, {}};
  const std::size_t start = at_;
  if (at_ < text_.size()) {
    const char first = text_[at_];
    step();
    if (first == '"') {
      while (at_ < text_.size() && text_[at_] != '"') {
        if (text_[at_] == '\\' && at_ + 1 < text_.size()) step();
        step();
      }
      if (at_ < text_.size()) step();
    } else if (!is_punctuation(first)) {
      while (at_ < text_.size() && !is_blank(text_[at_]) && !is_punctuation(text_[at_]) && text_[at_] != '"' &&
             text_[at_] != '/') {
        step();
      }
    }
  }
  token.text = text_.substr(start, at_ - start);
  return token;
}

TextCursor::Token TextCursor::next_value() {
  Token token = next();
  while (token.text == "," || token.text == ":") token = next();
  return token;
}

}  // namespace tsunagi::config::detail
