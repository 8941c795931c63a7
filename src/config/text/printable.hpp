// SPDX-License-Identifier: Apache-2.0
// Text of others in messages: what a terminal would obey is shown instead.
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace tsunagi::config {

/// `text` with control characters (C0, DEL, C1), format characters (Unicode's Cf: marks of direction, ...), separators
/// of lines and paragraphs, and bytes that are no UTF-8 written out: \n, \t, \x1b, \u202e.
std::string printable(std::string_view text);
/// The same for text of several lines: "\n" stays.
std::string printable_lines(std::string_view text);

/// The same for the text or an attribute of XML 1.0: markup is escaped, too.
std::string xml_text(std::string_view text);
/// An attribute of XML with a space before it: ` name="value"`.
std::string xml_attribute(std::string_view name, std::string_view value);

/// What an exception says, for users: the same, without the names that a JSON library gives its errors.
std::string told_by(const std::exception& error);

/// What there is first in `text` to write out: "a control character", "a format character" (separators, too), "a byte
/// that is no UTF-8"; "" if nothing.
std::string_view unprintable(std::string_view text);
/// Whether there is nothing in `text` to write out.
bool is_printable(std::string_view text);
/// Whether `text` is UTF-8, whatever characters it holds.
bool is_utf8(std::string_view text);

}  // namespace tsunagi::config
