// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tsunagi::app {

/// The columns that every terminal has.
constexpr std::size_t terminal_columns = 80;

/// The paragraphs of a text: a line that does not end its sentence (".", ":", "!") goes on with the next one. A line
/// that is indented stands alone.
std::vector<std::string> paragraphs(const std::string& text);

/// Each paragraph in lines that are not too long, broken at blanks; what is indented goes on two columns further right.
std::string wrapped(const std::string& text, std::size_t columns = terminal_columns);

/// A command in lines that a shell takes as one; it is broken at blanks outside of quotation marks.
std::string wrapped_command(const std::string& command, std::size_t columns = terminal_columns);

}  // namespace tsunagi::app
