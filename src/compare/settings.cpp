// SPDX-License-Identifier: Apache-2.0
#include "compare/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "config/message.hpp"
#include "config/quantity.hpp"
#include "config/text/printable.hpp"

namespace tsunagi::compare {
namespace {

using Json = nlohmann::ordered_json;

class Differences {
 public:
  std::vector<Setting> take() { return std::move(out_); }

  void compare(const Json& a, const Json& b, const std::string& at) {
    if (a == b || same_quantity(a, b)) return;
    if (a.is_object() && b.is_object() && kind(a) == kind(b)) return objects(a, b, at);
    if (a.is_array() && b.is_array() && (has_structure(a) || has_structure(b))) return lists(a, b, at);
    out_.push_back({at, a, b});
  }

 private:
  /// "1000 ns" is "1 us", and "5 GHz", as Gen2's rate was once told, "5 GT/s".
  static bool same_quantity(const Json& a, const Json& b) {
    if (!a.is_string() || !b.is_string()) return false;
    const auto left = config::quantity_of(a.dump(-1, ' ', false, Json::error_handler_t::replace));
    const auto right = config::quantity_of(b.dump(-1, ' ', false, Json::error_handler_t::replace));
    constexpr double exact = 9007199254740992.0;  // 2^53
    return left && right && left->kind == right->kind && left->value == right->value && left->value < exact;
  }
  static Json kind(const Json& object) { return object.contains("kind") ? object["kind"] : Json(); }
  static bool has_structure(const Json& list) {
    return std::any_of(list.begin(), list.end(), [](const Json& item) { return item.is_structured(); });
  }

  void objects(const Json& a, const Json& b, const std::string& at) {
    for (const auto& [key, value] : a.items()) {
      const std::string pointer = config::below(at, key);
      if (b.contains(key))
        compare(value, b[key], pointer);
      else
        out_.push_back({pointer, value, std::nullopt});
    }
    for (const auto& [key, value] : b.items())
      if (!a.contains(key)) out_.push_back({config::below(at, key), std::nullopt, value});
  }

  /// What is equal at both ends is the same; of the rest each is held against the one at its place.
  void lists(const Json& a, const Json& b, const std::string& at) {
    const std::size_t shorter = std::min(a.size(), b.size());
    std::size_t front = 0;
    while (front < shorter && a[front] == b[front]) ++front;
    std::size_t back = 0;
    while (back < shorter - front && a[a.size() - 1 - back] == b[b.size() - 1 - back]) ++back;
    const auto pointer = [&](std::size_t i) { return config::below(at, std::to_string(i)); };
    const std::size_t both = a.size() == b.size() ? a.size() - back : std::min(a.size(), b.size()) - back;
    for (std::size_t i = front; i < both; ++i) compare(a[i], b[i], pointer(i));
    for (std::size_t i = both; i + back < a.size(); ++i) out_.push_back({pointer(i), a[i], std::nullopt});
    for (std::size_t i = both; i + back < b.size(); ++i) out_.push_back({pointer(i), std::nullopt, b[i]});
  }

  std::vector<Setting> out_;
};

std::string short_value(const Json& value) {
  constexpr std::size_t most = 60;
  if (value.is_object() && value.contains("kind") && value["kind"].is_string())
    return config::printable(value["kind"].get<std::string>());
  std::string text =
      value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (value.is_array())
    for (std::size_t at = 0; (at = text.find("\",\"", at)) != std::string::npos; at += 4) text.insert(at + 2, " ");
  text = config::printable(text);
  if (text.size() <= most) return text;
  if (value.is_object())
    return fmt::format("an object with {}", value.size() == 1 ? "a key" : std::to_string(value.size()) + " keys");
  if (value.is_array()) return fmt::format("a list of {}", value.size());
  std::size_t end = most - 3;
  while ((static_cast<unsigned char>(text[end]) & 0xc0u) == 0x80u) --end;
  return text.substr(0, end) + "...";
}

std::string change_text(const Setting& s) {
  if (!s.a) return "only in B: " + short_value(*s.b);
  if (!s.b) return "only in A: " + short_value(*s.a);
  return short_value(*s.a) + " -> " + short_value(*s.b);
}

/// "/links/12/to" as "/links/*/to".
std::string without_numbers(const std::string& pointer) {
  std::string out;
  for (const char c : pointer) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!digit || out.empty() || out.back() != '*') out += digit ? '*' : c;
  }
  return out;
}

struct Group {
  std::string pattern;
  std::string change;
  const Setting* first;
  std::size_t places;
};

}  // namespace

std::vector<Setting> differences(const Json& a, const Json& b) {
  const auto without_names = [](Json run) {
    if (run.is_object())
      for (const char* name : {"name", "title"}) run.erase(name);
    return run;
  };
  Differences out;
  out.compare(without_names(a), without_names(b), "");
  return out.take();
}

std::string text(const std::vector<Setting>& settings) {
  std::vector<Group> groups;
  for (const Setting& s : settings) {
    const Group one{without_numbers(s.pointer), change_text(s), &s, 1};
    const auto same = std::find_if(groups.begin(), groups.end(),
                                   [&](const Group& g) { return g.pattern == one.pattern && g.change == one.change; });
    if (same == groups.end())
      groups.push_back(one);
    else
      ++same->places;
  }
  std::string out;
  for (const Group& g : groups)
    out += fmt::format("{}: {}{}\n", config::printable(g.places == 1 ? g.first->pointer : g.pattern), g.change,
                       g.places == 1 ? "" : fmt::format(" ({} places)", g.places));
  return out;
}

}  // namespace tsunagi::compare
