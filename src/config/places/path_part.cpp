// SPDX-License-Identifier: Apache-2.0
#include "config/places/path_part.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "config/places/places.hpp"

namespace tsunagi::config {

namespace detail {

namespace {

/// With "~0" and "~1" undone; nothing if another "~" is in it.
std::optional<std::string> unescaped(std::string_view token) {
  std::string out;
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '~') {
      out += token[i];
      continue;
    }
    ++i;
    if (i == token.size() || (token[i] != '0' && token[i] != '1')) return std::nullopt;
    out += token[i] == '0' ? '~' : '/';
  }
  return out;
}

/// Value of a condition: with or without quotes.
std::string unquoted(const std::string& text) {
  const bool quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return quoted ? text.substr(1, text.size() - 2) : text;
}

/// Takes the conditions off the end of a part. If there is something else in brackets, they are part of its name.
void take_conditions(PathPart& part) {
  std::vector<Condition> conditions;
  const std::string& text = part.written;
  const std::size_t open = text.find('[');
  for (std::size_t at = open; at < text.size();) {
    const std::size_t close = text.find(']', at);
    const std::size_t equals = text.find('=', at);
    if (text[at] != '[' || close == std::string::npos || equals >= close || equals == at + 1) return;
    conditions.push_back({text.substr(at + 1, equals - at - 1), unquoted(text.substr(equals + 1, close - equals - 1))});
    at = close + 1;
  }
  if (conditions.empty()) return;
  part.conditions = std::move(conditions);
  part.name = open == 0 ? "*" : text.substr(0, open);
}

}  // namespace

bool fits_glob(std::string_view glob, std::string_view text) {
  std::size_t star = std::string_view::npos;  // the last one, and how far the text behind it was tried
  std::size_t tried = 0;
  std::size_t g = 0;
  for (std::size_t t = 0; t < text.size();) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      tried = t;
    } else if (g < glob.size() && glob[g] == text[t]) {
      ++g;
      ++t;
    } else if (star != std::string_view::npos) {
      g = star + 1;
      t = ++tried;
    } else {
      return false;
    }
  }
  return glob.find_first_not_of('*', g) == std::string_view::npos;
}

bool PathPart::fits_name(const std::string& key) const { return fits_glob(name, key); }

bool PathPart::fits(const nlohmann::ordered_json& value) const {
  return std::all_of(conditions.begin(), conditions.end(), [&value](const Condition& c) {
    if (!value.is_object() || !value.contains(c.key) || value[c.key].is_structured()) return false;
    const nlohmann::ordered_json& has = value[c.key];
    return fits_glob(c.value, has.is_string() ? has.get<std::string>() : has.dump());
  });
}

std::vector<std::string_view> split_path(std::string_view path) {
  std::vector<std::string_view> out;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const std::size_t close = path[i] == '[' ? path.find(']', i) : std::string_view::npos;
    if (close != std::string_view::npos) i = close;
    if (path[i] == '/') {
      out.push_back(path.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  out.push_back(path.substr(begin));
  return out;
}

std::string parse_path(std::string_view path, std::vector<PathPart>& out) {
  if (path.empty()) return "a path is empty";
  if (path.front() == '/')
    path.remove_prefix(1);
  else
    out.push_back({"**", "", {}, true});
  for (const std::string_view token : split_path(path)) {
    const std::optional<std::string> text = unescaped(token);
    if (!text) return "in a JSON pointer \"~\" is written ~0 and \"/\" inside a key ~1";
    PathPart part{*text, *text, {}, *text == "**"};
    if (!part.any_depth) take_conditions(part);
    if (!part.any_depth || out.empty() || !out.back().any_depth) out.push_back(std::move(part));
  }
  return out.back().any_depth ? "a path cannot end with \"**\"" : "";
}

}  // namespace detail

bool is_pattern(std::string_view path) {
  return !path.empty() && (path.front() != '/' || path.find_first_of("*[") != std::string_view::npos);
}

std::size_t path_length(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '=') return i;
    const std::size_t close = text[i] == '[' ? text.find(']', i) : std::string_view::npos;
    if (close != std::string_view::npos) i = close;
  }
  return std::string_view::npos;
}

std::string without_conditions(std::string_view path) {
  std::string out;
  for (const std::string_view part : detail::split_path(path)) {
    if (!out.empty() || part.data() != path.data()) out += '/';
    out += part.substr(0, part.find('['));
  }
  return out;
}

}  // namespace tsunagi::config
