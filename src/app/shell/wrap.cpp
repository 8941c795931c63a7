// SPDX-License-Identifier: Apache-2.0
#include "app/shell/wrap.hpp"

#include <algorithm>
#include <sstream>

namespace tsunagi::app {
namespace {

bool ends_sentence(const std::string& line) {
  return line.empty() || std::string(".:!").find(line.back()) != std::string::npos;
}

std::size_t indent_of(const std::string& line) { return std::min(line.find_first_not_of(' '), line.size()); }

/// Where words may part: behind each of these blanks.
std::vector<std::size_t> blanks_outside_quotes(const std::string& command) {
  std::vector<std::size_t> out;
  char quote = '\0';
  for (std::size_t i = indent_of(command); i < command.size(); ++i) {
    const char c = command[i];
    if (quote != '\0')
      quote = c == quote ? '\0' : quote;
    else if (c == '\'' || c == '"')
      quote = c;
    else if (c == '#')
      break;  // a comment goes to the end of its line
    else if (c == ' ')
      out.push_back(i);
  }
  return out;
}

}  // namespace

std::vector<std::string> paragraphs(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream lines(text);
  bool open = false;
  for (std::string line; std::getline(lines, line);) {
    const bool indented = indent_of(line) > 0;
    if (open && !indented && !line.empty())
      out.back() += " " + line;
    else
      out.push_back(line);
    open = !indented && !ends_sentence(line);
  }
  return out;
}

std::string wrapped(const std::string& text, std::size_t columns) {
  std::string out;
  for (const std::string& paragraph : paragraphs(text)) {
    if (paragraph.size() <= columns) {
      out += paragraph + "\n";
      continue;
    }
    std::istringstream words(paragraph);
    std::string line(indent_of(paragraph), ' ');
    const std::string indent = line + (line.empty() ? "" : "  ");
    bool begun = false;
    for (std::string word; words >> word; begun = true) {
      if (begun && line.size() + 1 + word.size() > columns) {
        out += line + "\n";
        line = indent + word;
      } else {
        line += (begun ? " " : "") + word;
      }
    }
    out += line + "\n";
  }
  return out;
}

std::string wrapped_command(const std::string& command, std::size_t columns) {
  const std::string further(indent_of(command) + 4, ' ');
  if (command.size() <= columns) return command + "\n";
  std::size_t at = 0;  // the last blank before there is no room for " \"
  for (const std::size_t blank : blanks_outside_quotes(command))
    if (blank + 2 <= columns && command[blank + 1] != ' ') at = blank;
  if (at == 0) return command + "\n";
  const std::string rest = further + command.substr(at + 1);
  if (rest.size() >= command.size()) return command + "\n";  // nothing was gained
  return command.substr(0, command.find_last_not_of(' ', at) + 1) + " \\\n" + wrapped_command(rest, columns);
}

}  // namespace tsunagi::app
