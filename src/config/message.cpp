// SPDX-License-Identifier: Apache-2.0
#include "config/message.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "config/places/places.hpp"
#include "config/text/printable.hpp"
#include "config/text/unseen.hpp"

namespace tsunagi::config {

namespace {

const std::string& file_of(const Message& m) {
  static const std::string none;
  return m.place.file ? *m.place.file : none;
}

auto position(const Message& m) { return std::make_tuple(std::cref(file_of(m)), m.place.line, m.place.column); }

/// Whether a message is of a path of many places, which tells each of its faults once.
bool is_of_pattern(const Message& m) {
  constexpr std::string_view by = "--set ";
  const std::string_view file = file_of(m);
  return m.place.line == 0 && file.substr(0, by.size()) == by && is_pattern(file.substr(by.size()));
}

/// Sorted by place. A part file used in many places tells each of its faults once.
std::vector<Message> in_order(std::vector<Message> messages) {
  std::stable_sort(messages.begin(), messages.end(),
                   [](const Message& a, const Message& b) { return position(a) < position(b); });
  std::vector<Message> kept;
  for (Message& m : messages) {
    bool known = false;
    if (m.place.line > 0 || is_of_pattern(m))  // else it is no place: all of a --set would be at it
      for (auto k = kept.rbegin(); k != kept.rend() && !known && position(*k) == position(m); ++k)
        known = k->text == m.text;
    if (!known) kept.push_back(std::move(m));
  }
  return kept;
}

/// A text of which nobody reads the rest ends there.
std::string beginning(const std::string& text) {
  constexpr std::size_t most = 1500;
  return text.size() <= most ? text : text.substr(0, most) + " ...";
}

std::string cut(const std::string& text) { return printable(beginning(text)); }

std::string all_lines(const std::vector<Message>& messages) {
  std::string text;
  const std::size_t shown = std::min(messages.size(), ConfigError::most_lines);
  for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : "\n") + messages[i].line();
  if (const std::size_t more = messages.size() - shown; more > 0)
    text += "\nand " + std::to_string(more) + (more == 1 ? " more fault" : " more faults");
  return text;
}

}  // namespace

std::string Place::text() const {
  const std::string name = file ? *file : "config";
  return line == 0 ? name : name + ":" + std::to_string(line) + ":" + std::to_string(column);
}

std::string Message::line() const {
  const std::string where = place.text();
  const bool told = pointer.empty() || where == "--set " + pointer;
  const std::string begin = cut(where) + ": " + (told ? "" : cut(pointer) + ": ");
  if (!place.unseen) return begin + cut(text);
  return begin + printable(detail::without_words_of(beginning(text), *place.unseen)) +
         " (what the line says is not shown: its file is outside of the folder of the config)";
}

ConfigError::ConfigError(std::vector<Message> messages)
    : ConfigError(std::make_shared<const std::vector<Message>>(in_order(std::move(messages)))) {}

ConfigError::ConfigError(Messages messages)
    : std::runtime_error(all_lines(*messages)), messages_(std::move(messages)) {}

void throw_if_any(const std::vector<Message>& messages) {
  if (!messages.empty()) throw ConfigError(messages);
}

std::string below(const std::string& pointer, std::string_view token) {
  std::string path = pointer + "/";
  for (const char c : token) {
    if (c == '~') {
      path += "~0";
    } else if (c == '/') {
      path += "~1";
    } else {
      path += c;
    }
  }
  return path;
}

std::string in_quotes(std::string_view text) { return "\"" + std::string(text) + "\""; }

}  // namespace tsunagi::config
