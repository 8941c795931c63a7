// SPDX-License-Identifier: Apache-2.0
// Overrides of all places that a path has.
#include <nlohmann/json.hpp>
#include <utility>

#include "config/document.hpp"
#include "config/places/places.hpp"
#include "config/text/printable.hpp"

namespace tsunagi::config {

namespace {

using nlohmann::ordered_json;

Value as_value(const ordered_json& json, const Place& place) {
  Value value = parse(json.dump(), "defaults").root;
  value.place = place;
  return value;
}

/// Sets all places of a path; tells if it has none.
void apply_to_all(Document& document, const Override& given, const Resolver& resolver) {
  const Place place{std::make_shared<const std::string>("--set " + given.pointer), 0, 0};
  const auto refuse = [&](const std::string& text) { document.problems.push_back({place, {}, text}); };
  if (!is_utf8(given.pointer)) return refuse("is no UTF-8");
  const std::string key = given.pointer.substr(given.pointer.rfind('/') + 1);  // all of it if there is no "/"
  if (const std::string refused = detail::directive_refused(key); !refused.empty()) return refuse(refused);
  std::vector<ordered_json> trees;
  if (resolver) trees.push_back(resolver(document));
  trees.push_back(to_json(document.root));
  std::vector<const ordered_json*> all;
  for (const ordered_json& tree : trees) all.push_back(&tree);
  const Places places = find_places(given.pointer, all);
  if (!places.fault.empty()) return refuse(places.fault);
  for (const std::string& pointer : places.pointers) {
    if (resolver) spell_out(document, trees.front(), pointer);
    const Override one{pointer, given.value, given.pointer};
    detail::apply_override(document, one);
    document.applied.push_back(one);
  }
}

}  // namespace

void spell_out(Document& document, const ordered_json& resolved, const std::string& pointer) {
  Value* written = &document.root;
  const ordered_json* value = &resolved;
  std::vector<std::string> way;
  for (auto rest = ordered_json::json_pointer(pointer); !rest.empty(); rest.pop_back()) way.push_back(rest.back());
  for (auto token = way.rbegin(); token != way.rend(); ++token) {
    const bool array = value->is_array();
    if (array && written->type != Value::Type::array) *written = as_value(*value, written->place);  // of one element
    const std::size_t index = array ? std::stoul(*token) : 0;
    if (array ? index >= value->size() || index >= written->items.size() : !value->contains(*token)) return;
    value = array ? &(*value)[index] : &(*value)[*token];
    Value* next = array ? &written->items.edit()[index] : written->edit(*token);
    if (next == nullptr && written->is_object())
      written->members.edit().push_back({*token, written->place, as_value(*value, written->place)});
    if (next == nullptr) return;
    written = next;
  }
}

void apply(Document& document, const std::vector<Override>& overrides, const Resolver& resolver) {
  for (const Override& o : overrides) {
    if (is_pattern(o.pointer)) {
      apply_to_all(document, o, resolver);
      continue;
    }
    detail::apply_override(document, o);
    document.applied.push_back(o);
  }
}

}  // namespace tsunagi::config
