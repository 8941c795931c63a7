// SPDX-License-Identifier: Apache-2.0
#include "config/places/override.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "config/compose.hpp"
#include "config/document.hpp"
#include "config/places/places.hpp"
#include "config/text/json_text.hpp"
#include "config/text/printable.hpp"

namespace tsunagi::config {

namespace {

Place place_of(const Override& o) {
  return {std::make_shared<const std::string>("--set " + (o.said.empty() ? o.pointer : o.said)), 0, 0};
}

/// "/a/b~1c" as {"a", "b/c"}; nothing if an escape is neither ~0 nor ~1.
std::optional<std::vector<std::string>> tokens(std::string_view pointer) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/') {
      out.emplace_back();
    } else if (pointer[i] != '~') {
      out.back() += pointer[i];
    } else {
      ++i;
      if (i == pointer.size() || (pointer[i] != '0' && pointer[i] != '1')) return std::nullopt;
      out.back() += pointer[i] == '0' ? '~' : '/';
    }
  }
  return out;
}

void set_place(Value& value, const Place& place) {
  value.place = place;
  if (!value.items.empty())
    for (Value& item : value.items.edit()) set_place(item, place);
  if (value.members.empty()) return;
  for (Member& m : value.members.edit()) {
    m.place = place;
    set_place(m.value, place);
  }
}

/// `text` as JSON or, failing that, as a string.
Value value_of(const std::string& text, const Place& place, std::vector<Message>& messages) {
  std::vector<Message> faults;
  std::optional<Value> value = detail::parse_json(text, *place.file, faults);
  if (!value) {
    value.emplace();
    value->type = Value::Type::string;
    value->text = text;
  } else {
    for (const Message& fault : faults) messages.push_back({place, fault.pointer, fault.text});
  }
  set_place(*value, place);
  return std::move(*value);
}

/// The element that `token` names, or null.
Value* element(Value& array, const std::string& token) {
  const bool digits = std::all_of(token.begin(), token.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!digits || token.empty() || token.size() > 9 || (token.size() > 1 && token[0] == '0')) return nullptr;
  const std::size_t index = std::stoul(token);
  return index < array.items.size() ? &array.items.edit()[index] : nullptr;
}

/// Walks from the root to the value a pointer names.
class Walk {
 public:
  Walk(Place place, std::vector<Message>& messages) : place_(std::move(place)), messages_(messages) {}

  /// One step down; null after telling what is in the way. `last`: the value is about to be replaced.
  Value* step(Value& from, const std::string& token, bool last) {
    Value* to = nullptr;
    if (from.type == Value::Type::array) {
      to = element(from, token);
      if (to == nullptr) fail(in_quotes(token) + " is no index of it: it has " + count(from.items.size()));
    } else if (from.is_object()) {
      to = from.edit(token);
      if (Value* sources = from.edit("$sources"); last && sources != nullptr) sources->erase(token);
      if (last || to == nullptr) to = fresh(from, token);
    } else {
      fail("it is " + std::string(type_name(from)) + " and has nothing below it");
    }
    at_ = below(at_, token);
    return to;
  }

 private:
  static std::string count(std::size_t n) { return std::to_string(n) + (n == 1 ? " element" : " elements"); }

  void fail(const std::string& text) { messages_.push_back({place_, at_, text}); }

  /// The member as if just written at the override's place.
  Value* fresh(Value& object, const std::string& token) {
    std::vector<Member>& members = object.members.edit();
    Value* known = nullptr;
    for (Member& m : members) {
      if (m.place.line > 0) ++m.age;  // else it is of the command line, too
      if (m.name != token) continue;
      m.place = place_;
      m.age = 0;
      known = &m.value;
    }
    if (known != nullptr) return known;
    members.push_back({token, place_, {}});
    Value& made = members.back().value;
    made.type = Value::Type::object;
    made.place = place_;
    made.incomplete = object.incomplete;
    return &made;
  }

  Place place_;
  std::vector<Message>& messages_;
  std::string at_;
};

}  // namespace

Override parse_override(std::string_view text) {
  const std::size_t equals = path_length(text);
  const Place place = place_of({std::string(text), {}});
  if (equals == std::string_view::npos) throw ConfigError({{place, {}, "needs the form POINTER=VALUE"}});
  if (equals == 0) throw ConfigError({{place, {}, "POINTER is missing, for example /options/seed=7"}});
  return {std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

namespace detail {

std::string directive_refused(std::string_view key) {
  if (key != "$use" && key != "$lines") return {};
  const std::string name = in_quotes(key);
  return name + " can only be set with its object, as in /machine={" + name + ": \"FILE\"}";
}

void apply_override(Document& document, const Override& override) {
  std::vector<Message>& messages = document.problems;
  const Place place = place_of(override);
  if (override.pointer.empty() || override.pointer[0] != '/') {
    messages.push_back({place, {}, "a JSON pointer starts with \"/\", for example /options/seed"});
    return;
  }
  const std::optional<std::vector<std::string>> path = tokens(override.pointer);
  if (!path) {
    messages.push_back({place, {}, "in a JSON pointer \"~\" is written ~0 and \"/\" inside a key ~1"});
    return;
  }
  if (!is_utf8(override.pointer) || !is_utf8(override.value)) {
    messages.push_back({place, {}, "is no UTF-8"});
    return;
  }
  if (const std::string refused = directive_refused(path->back()); !refused.empty()) {
    messages.push_back({place, {}, refused});
    return;
  }
  Value given = value_of(override.value, place, messages);
  if (path->size() + size_of(given).levels > most_levels) {
    messages.push_back({place, {}, "leads deeper than " + std::to_string(most_levels) + " levels"});
    return;
  }
  Walk walk(place, messages);
  Value* value = &document.root;
  for (std::size_t i = 0; i < path->size() && value != nullptr; ++i) {
    value = walk.step(*value, (*path)[i], i + 1 == path->size());
  }
  if (value == nullptr) return;
  Composer composer(messages);
  *value = composer.compose(std::move(given), {}, override.pointer, path->size());
  if (composer.files().empty()) return;
  std::vector<std::filesystem::path>& files = document.files.edit();
  files.insert(files.end(), composer.files().begin(), composer.files().end());
}

}  // namespace detail
}  // namespace tsunagi::config
