// SPDX-License-Identifier: Apache-2.0
#include "config/fields/sources.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "config/suggest.hpp"

namespace tsunagi::config {

namespace {

const std::vector<std::string>& classes() {
  static const std::vector<std::string> words{"specification", "datasheet", "paper", "measured", "assumed", "fitted"};
  return words;
}

const std::vector<std::string>& entry_keys() {
  static const std::vector<std::string> words{"class", "source", "range", "fitted_to", "note"};
  return words;
}

bool is_one_of(const std::string& word, const std::vector<std::string>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string text_of(const Value& entry, std::string_view key) {
  const Value* value = entry.find(key);
  return value != nullptr && value->is_string() ? value->text : std::string();
}

std::vector<std::string> texts_of(const Value& entry, std::string_view key) {
  std::vector<std::string> out;
  const Value* value = entry.find(key);
  if (value == nullptr) return out;
  for (const Value& item : value->items) out.push_back(item.is_string() ? item.text : to_json(item).dump());
  return out;
}

/// `key` is the way of `value` from its part: "", "dma.", "slots.0.".
void collect(const Value& value, const std::string& pointer, std::string key, std::vector<Provenance>& out) {
  if (value.find("kind") != nullptr) key.clear();
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    const std::string index = std::to_string(i);
    collect(value.items[i], below(pointer, index), key + index + ".", out);
  }
  for (const Member& m : value.members) {
    if (m.name != "$sources") {
      collect(m.value, below(pointer, m.name), key + m.name + ".", out);
      continue;
    }
    for (const Member& entry : m.value.members) {
      if (!entry.value.is_object()) continue;
      out.push_back({below(pointer, entry.name), key + entry.name, text_of(entry.value, "class"),
                     text_of(entry.value, "source"), texts_of(entry.value, "range"), texts_of(entry.value, "fitted_to"),
                     text_of(entry.value, "note"), entry.place});
    }
  }
}

/// Checks one entry, key by key.
class EntryCheck {
 public:
  EntryCheck(const Value& entry, const std::string& pointer, std::vector<Message>& messages)
      : entry_(entry), pointer_(pointer), messages_(messages) {}

  void run() {
    for (const Member& m : entry_.members) {
      if (is_one_of(m.name, entry_keys())) continue;
      fail(m.place, detail::unknown("key", m.name, entry_keys()));
    }
    check_class();
    check_text("source", true);
    check_text("note", false);
    check_range();
    check_fitted_to();
  }

 private:
  void fail(const Place& place, const std::string& text) { messages_.push_back({place, pointer_, text}); }

  void check_class() {
    const Value* value = entry_.find("class");
    if (value == nullptr) return fail(entry_.place, "needs a \"class\": " + detail::listed(classes()));
    if (!value->is_string()) {
      return fail(value->place,
                  "\"class\" must be one of " + detail::listed(classes()) + ", not " + std::string(type_name(*value)));
    }
    if (!is_one_of(value->text, classes())) {
      return fail(value->place, detail::unknown("class", value->text, classes()));
    }
    class_ = value->text;
  }

  void check_text(std::string_view key, bool required) {
    const Value* value = entry_.find(key);
    if (value == nullptr) {
      if (required) fail(entry_.place, "needs a " + in_quotes(key) + ", a text");
    } else if (!value->is_string() || (required && value->text.empty())) {
      fail(value->place, in_quotes(key) + " must be a text");
    }
  }

  void check_range() {
    const Value* value = entry_.find("range");
    if (value == nullptr) {
      if (class_ == "assumed" || class_ == "fitted") {
        fail(entry_.place, "class " + in_quotes(class_) + " needs a \"range\": [low, high]");
      }
    } else if (value->type != Value::Type::array || value->items.size() < 2) {
      fail(value->place, "\"range\" must be [low, high]");
    }
  }

  void check_fitted_to() {
    const Value* value = entry_.find("fitted_to");
    if (value == nullptr) {
      if (class_ == "fitted") fail(entry_.place, "class \"fitted\" needs \"fitted_to\": [figure ids]");
      return;
    }
    const bool good =
        value->type == Value::Type::array && !value->items.empty() &&
        std::all_of(value->items.begin(), value->items.end(), [](const Value& v) { return v.is_string(); });
    if (!good) fail(value->place, "\"fitted_to\" must be an array of figure ids");
  }

  const Value& entry_;
  const std::string& pointer_;
  std::vector<Message>& messages_;
  std::string class_;
};

}  // namespace

std::vector<Provenance> provenance(const Document& document) {
  throw_if_any(document.problems);
  std::vector<Provenance> out;
  collect(document.root, {}, {}, out);
  return out;
}

namespace detail {

void check_source(const Value& entry, const std::string& pointer, std::vector<Message>& messages) {
  if (!entry.is_object()) {
    messages.push_back({entry.place, pointer, "must be an object, not " + std::string(type_name(entry))});
    return;
  }
  EntryCheck(entry, pointer, messages).run();
}

}  // namespace detail
}  // namespace tsunagi::config
