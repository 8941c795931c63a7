// SPDX-License-Identifier: Apache-2.0
#include "fit/rewrite.hpp"

#include <stdexcept>

namespace tsunagi::fit {
namespace {

[[noreturn]] void nothing_there() { throw std::out_of_range("no JSON value begins there"); }

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80; }

std::size_t offset_of(const std::string& text, int line, int column) {
  std::size_t at = 0;
  for (int n = 1; n < line; ++n) {
    at = text.find('\n', at);
    if (at == std::string::npos) nothing_there();
    ++at;
  }
  for (int n = 1; n < column && at < text.size(); ++n) do
      ++at;
    while (at < text.size() && continues_character(text[at]));
  if (at >= text.size()) nothing_there();
  return at;
}

/// Behind a text's closing quote.
std::size_t end_of_text(const std::string& text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\')
      ++at;
    else if (text[at] == '"')
      return at + 1;
  }
  nothing_there();
}

/// Behind blanks and comments.
std::size_t skipped(const std::string& text, std::size_t at) {
  for (;;) {
    at = text.find_first_not_of(" \t\r\n", at);
    if (at == std::string::npos) nothing_there();
    if (text.compare(at, 2, "//") == 0)
      at = text.find('\n', at);
    else if (text.compare(at, 2, "/*") == 0)
      at = text.find("*/", at + 2) + 2;
    else
      return at;
    if (at == std::string::npos) nothing_there();
  }
}

/// Behind the value that begins at `at`.
std::size_t end_of_value(const std::string& text, std::size_t at) {
  if (text[at] == '"') return end_of_text(text, at);
  if (text[at] != '{' && text[at] != '[') {
    const std::size_t end = text.find_first_of(" \t\r\n,]}/", at);
    if (end == at) nothing_there();
    return end == std::string::npos ? text.size() : end;
  }
  int depth = 0;
  while (at < text.size()) {
    at = skipped(text, at);
    if (text[at] == '"') {
      at = end_of_text(text, at);
      continue;
    }
    if (text[at] == '{' || text[at] == '[') ++depth;
    if ((text[at] == '}' || text[at] == ']') && --depth == 0) return at + 1;
    ++at;
  }
  nothing_there();
}

std::string replaced(const std::string& text, std::size_t at, const std::string& json) {
  return text.substr(0, at) + json + text.substr(end_of_value(text, at));
}

}  // namespace

std::string with_value(const std::string& text, int line, int column, const std::string& json) {
  return replaced(text, offset_of(text, line, column), json);
}

std::string with_member(const std::string& text, int line, int column, const std::string& json) {
  const std::size_t key = offset_of(text, line, column);
  if (text[key] != '"') nothing_there();
  const std::size_t colon = skipped(text, end_of_text(text, key));
  if (text[colon] != ':') nothing_there();
  return replaced(text, skipped(text, colon + 1), json);
}

}  // namespace tsunagi::fit
