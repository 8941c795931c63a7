// SPDX-License-Identifier: Apache-2.0
#include "runner/title.hpp"

#include <algorithm>

#include "config/name.hpp"
#include "config/suggest.hpp"
#include "runner/places.hpp"

namespace tsunagi::runner {
namespace {

/// "8 B", "8 B and 1 KiB", "8 B to 1 MiB".
std::string span_of(const std::vector<std::string>& texts) {
  if (texts.empty()) return "chosen";  // whoever reads the config chooses
  if (texts.size() == 1) return texts.front();
  return texts.front() + (texts.size() == 2 ? " and " : " to ") + texts.back();
}

/// A value in a line of text; "" if that cannot be said.
std::string said(const config::Value& value) {
  using Type = config::Value::Type;
  if (value.type == Type::boolean) return value.boolean ? "true" : "false";
  if (value.type != Type::array) return value.text;
  std::vector<std::string> texts;
  for (const config::Value& item : value.items) {
    if (item.is_structured() || item.text.empty()) return "";
    texts.push_back(item.text);
  }
  if (value.items.empty() || value.items[0].is_string()) return span_of(texts);
  std::string sizes;
  for (const std::string& text : texts) sizes += (sizes.empty() ? "" : "x") + text;
  return sizes;
}

/// Whether one of two pointers leads to the other or into it.
bool meet(const std::string& a, const std::string& b) {
  const std::string& shorter = a.size() < b.size() ? a : b;
  const std::string& longer = a.size() < b.size() ? b : a;
  return longer.compare(0, shorter.size(), shorter) == 0 &&
         (longer.size() == shorter.size() || longer[shorter.size()] == '/');
}

/// The value that is written at a pointer, in a line of text; else why there is none.
std::string text_at(const config::Document& document, const std::string& pointer, std::string& why) {
  const config::Value* value = value_at(document, pointer);
  std::string text = value == nullptr ? "" : said(*value);
  if (text.empty())
    why = "names " + config::in_quotes(pointer) +
          (value == nullptr ? ", where nothing is written" : ", which is no value that a line can say");
  return text;
}

std::string unknown_axis(const std::string& name, const Varied& varied) {
  std::vector<std::string> axes;
  for (const auto& [axis, values] : varied)
    if (axis[0] != '/') axes.push_back(axis);
  return "names {" + name + "}, which is no axis" + config::detail::did_you_mean(name, axes) +
         "; a value of the run is named by its place, {/scenario/...}";
}

/// `title` with what it names; `faults` of what it names without there being any.
std::string filled(const std::string& title, const config::Document& values, const Varied& varied,
                   std::vector<std::string>& faults) {
  std::string out;
  std::size_t begin = 0;
  for (std::size_t open = title.find('{'); open != std::string::npos; open = title.find('{', open + 1)) {
    const std::size_t close = title.find_first_of("{}", open + 1);
    if (close == std::string::npos || title[close] == '{') continue;
    const std::string name = title.substr(open + 1, close - open - 1);
    const bool pointer = name[0] == '/';
    const auto axis = std::find_if(varied.begin(), varied.end(),
                                   [&](const auto& v) { return pointer ? meet(v.first, name) : v.first == name; });
    if (!pointer && axis == varied.end()) {  // braces of somebody's own, unless they hold what could be an axis
      if (config::is_name(name)) faults.push_back(unknown_axis(name, varied));
      continue;
    }
    std::string why;
    std::string text = axis != varied.end() ? span_of(axis->second) : text_at(values, name, why);
    if (!why.empty()) faults.push_back(std::move(why));
    out += title.substr(begin, open - begin) + (text.empty() ? "?" : text);
    begin = close + 1;
  }
  return out + title.substr(begin);
}

const config::Value* title_in(const config::Document& document) {
  const config::Value* title = document.root.find("title");
  return title != nullptr && title->is_string() ? title : nullptr;
}

}  // namespace

std::string filled_title(const std::string& title, const config::Document& values, const Varied& varied) {
  std::vector<std::string> ignored;
  return filled(title, values, varied, ignored);
}

std::string title_of(const config::Document& document, const Varied& varied) {
  const config::Value* title = title_in(document);
  return title == nullptr ? "" : filled_title(title->text, document, varied);
}

std::vector<config::Message> title_faults(const config::Document& document, const Varied& varied) {
  return title_faults(document, document, varied);
}

std::vector<config::Message> title_faults(const config::Document& document, const config::Document& values,
                                          const Varied& varied) {
  std::vector<config::Message> out;
  const config::Value* title = title_in(document);
  if (title == nullptr) return out;
  std::vector<std::string> faults;
  filled(title->text, values, varied, faults);
  for (std::string& fault : faults) out.push_back({title->place, "/title", std::move(fault)});
  return out;
}

void check_title(const config::Document& document) { config::throw_if_any(title_faults(document)); }

}  // namespace tsunagi::runner
