// SPDX-License-Identifier: Apache-2.0
#include "config/text/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace tsunagi::config {

namespace {

/// One character of UTF-8; `length` 0: no such one begins there.
struct Character {
  std::uint32_t code = 0;
  std::size_t length = 0;
};

Character next_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xf0 && lead < 0xf8 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return {};
  std::uint32_t code = lead & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0u) != 0x80u) return {};
    code = code << 6 | (byte(i) & 0x3fu);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return overlong || surrogate || code > 0x10ffff ? Character{} : Character{code, length};
}

struct Range {
  std::uint32_t first, last;
};

/// What Unicode 15 calls format characters (Cf: marks of direction, of width zero, tags, ...), and its separators of
/// lines and paragraphs: they are not seen, but change how what is beside them looks.
constexpr Range formats[] = {{0xad, 0xad},       {0x600, 0x605},     {0x61c, 0x61c},     {0x6dd, 0x6dd},
                             {0x70f, 0x70f},     {0x890, 0x891},     {0x8e2, 0x8e2},     {0x180e, 0x180e},
                             {0x200b, 0x200f},   {0x2028, 0x202e},   {0x2060, 0x206f},   {0xfeff, 0xfeff},
                             {0xfff9, 0xfffb},   {0x110bd, 0x110bd}, {0x110cd, 0x110cd}, {0x13430, 0x1343f},
                             {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0001, 0xe007f}};

bool is_control(std::uint32_t code) { return code < 0x20 || (code >= 0x7f && code < 0xa0); }

bool is_format(std::uint32_t code) {
  return code >= formats[0].first && std::any_of(std::begin(formats), std::end(formats),
                                                 [code](Range r) { return code >= r.first && code <= r.last; });
}

std::string written_out(std::uint32_t code) {
  switch (code) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      if (code < 0x80) return fmt::format("\\x{:02x}", code);
      return code < 0x10000 ? fmt::format("\\u{:04x}", code) : fmt::format("\\U{:08x}", code);
  }
}

std::string without_controls(std::string_view text, bool keep_lines) {
  std::string out;
  while (!text.empty()) {
    const Character c = next_character(text);
    const std::size_t length = c.length == 0 ? 1 : c.length;
    if (c.length == 0)
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    else if ((is_control(c.code) && !(keep_lines && c.code == '\n')) || is_format(c.code))
      out += written_out(c.code);
    else
      out += text.substr(0, length);
    text.remove_prefix(length);
  }
  return out;
}

}  // namespace

std::string printable(std::string_view text) { return without_controls(text, false); }

std::string printable_lines(std::string_view text) { return without_controls(text, true); }

std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  // Characters that Unicode says are none, and XML refuses.
  for (const char* none : {"\xef\xbf\xbe", "\xef\xbf\xbf"})
    for (std::size_t at; (at = out.find(none)) != std::string::npos;) out.replace(at, 3, "?");
  return out;
}

std::string xml_attribute(std::string_view name, std::string_view value) {
  return fmt::format(" {}=\"{}\"", name, xml_text(value));
}

std::string told_by(const std::exception& error) {
  // "… [json.exception.type_error.316] invalid UTF-8 …"
  std::string text = error.what();
  for (std::size_t at; (at = text.find("[json.exception")) != std::string::npos;) {
    const std::size_t end = text.find(']', at);
    text.erase(at, end == std::string::npos ? end : text[end + 1] == ' ' ? end + 2 - at : end + 1 - at);
  }
  return printable_lines(text);
}

std::string_view unprintable(std::string_view text) {
  for (Character c; !text.empty(); text.remove_prefix(c.length)) {
    c = next_character(text);
    if (c.length == 0) return "a byte that is no UTF-8";
    if (is_control(c.code)) return "a control character";
    if (is_format(c.code)) return "a format character";
  }
  return {};
}

bool is_printable(std::string_view text) { return unprintable(text).empty(); }

bool is_utf8(std::string_view text) {
  for (Character c; !text.empty(); text.remove_prefix(c.length)) {
    c = next_character(text);
    if (c.length == 0) return false;
  }
  return true;
}

}  // namespace tsunagi::config
