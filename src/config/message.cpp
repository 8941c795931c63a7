// SPDX-License-Identifier: Apache-2.0
#include "config/message.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace tsunagi::config {

namespace {

const std::string& file_of(const Message& m) {
  static const std::string none;
  return m.place.file ? *m.place.file : none;
}

auto position(const Message& m) { return std::make_tuple(std::cref(file_of(m)), m.place.line, m.place.column); }

bool same_fault(const Message& a, const Message& b) {
  return a.place.line > 0 && position(a) == position(b) && a.text == b.text;
}

/// Sorted by place. A part file used in many places tells each of its faults once.
std::vector<Message> in_order(std::vector<Message> messages) {
  std::stable_sort(messages.begin(), messages.end(),
                   [](const Message& a, const Message& b) { return position(a) < position(b); });
  std::vector<Message> kept;
  for (Message& m : messages) {
    bool known = false;
    for (auto k = kept.rbegin(); k != kept.rend() && !known && position(*k) == position(m); ++k)
      known = same_fault(*k, m);
    if (!known) kept.push_back(std::move(m));
  }
  return kept;
}

std::string all_lines(const std::vector<Message>& messages) {
  std::string text;
  for (const Message& m : messages) text += (text.empty() ? "" : "\n") + m.line();
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
  return where + ": " + (told ? "" : pointer + ": ") + text;
}

ConfigError::ConfigError(std::vector<Message> messages)
    : std::runtime_error(all_lines(in_order(messages))), messages_(in_order(std::move(messages))) {}

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
