// SPDX-License-Identifier: Apache-2.0
#include "config/fields/object_schema.hpp"

#include <algorithm>

#include "config/fields/scalars.hpp"

namespace tsunagi::config::detail {

namespace {

using nlohmann::ordered_json;

ordered_json reference(const std::string& name) { return {{"$ref", "#/$defs/" + name}}; }

/// The field's doc, with what a schema cannot say of quantities.
template <class T>
std::string description(const FieldSpec& s) {
  std::string text(s.doc);
  const auto add = [&text](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
  if constexpr (has_order<T>) {
    if (const std::string range = range_text<T>(s); !range.empty()) add(range);
    if (s.or_length) add("or the length of the cable, at 5 ns a metre");
    if (!s.follows.empty()) add("follows from " + std::string(s.follows));
    if (s.ideal) add("ideal " + show(made_from_base<T>(*s.ideal)));
  }
  return text;
}

/// A list's schema takes an element alone, too.
void allow_one(ordered_json& list) {
  const ordered_json element = list["items"];
  if (!list["type"].is_array()) list["type"] = ordered_json::array({list["type"]});
  for (const auto& [key, value] : element.items())
    if (key == "type")
      list["type"].push_back(value);
    else
      list[key] = value;
}

}  // namespace

std::string shape_name(std::string_view family) { return std::string(family); }
std::string demand_name(std::string_view family) { return std::string(family) + "_whole"; }

ordered_json unless_used(ordered_json demand) {
  if (demand.empty()) return demand;
  return {{"if", {{"required", ordered_json::array({"$use"})}}}, {"else", std::move(demand)}};
}

void ObjectSchema::add_property(const std::string& name, ordered_json schema) { properties_[name] = std::move(schema); }

ordered_json ObjectSchema::shape() const {
  ordered_json out{{"type", "object"}, {"properties", properties_}};
  ordered_json fields = ordered_json::array();
  for (const auto& item : properties_.items()) {
    if (item.key() != "kind" && item.key() != "$schema") fields.push_back(item.key());
  }
  ordered_json& properties = out["properties"];
  properties["$use"] = reference("$use");
  if (!fields.empty()) {
    properties["$sources"] = reference("$sources");
    properties["$sources"]["propertyNames"] = {{"enum", std::move(fields)}};
  }
  out["additionalProperties"] = false;
  return out;
}

ordered_json ObjectSchema::demand() const {
  ordered_json out = ordered_json::object();
  if (!required_.empty()) out["required"] = required_;
  if (!demanded_properties_.empty()) out["properties"] = demanded_properties_;
  return unless_used(std::move(out));
}

void ObjectSchema::put(const FieldSpec& s, ordered_json schema, ordered_json demand) {
  const std::string name(s.name);
  if (!schema.contains("description") && !s.doc.empty()) schema["description"] = std::string(s.doc);
  properties_[name] = std::move(schema);
  if (!demand.empty()) demanded_properties_[name] = std::move(demand);
  if (s.required) required_.push_back(name);
}

template <class T>
void ObjectSchema::value(const FieldSpec& s, const T& v) {
  ordered_json schema = schema_of(s, v);
  if (const std::string text = description<T>(s); !text.empty()) schema["description"] = text;
  if (!s.required) schema["default"] = write(s, v);
  put(s, std::move(schema), {});
}

template <class T>
void ObjectSchema::value(const FieldSpec& s, const std::vector<T>& v) {
  ordered_json schema{{"type", "array"}, {"items", schema_of(s, T{})}};
  if (schema["items"]["type"] == "string") {  // as all quantities are
    schema["type"] = ordered_json::array({"array", "object"});
    schema["properties"] = ordered_json::object({{"$lines", reference("$lines")}});
    schema["required"] = ordered_json::array({"$lines"});
    schema["additionalProperties"] = false;
  }
  if (s.or_one) allow_one(schema);
  if (const std::string text = description<T>(s); !text.empty()) schema["description"] = text;
  if (!s.required) schema["default"] = write(s, v);
  put(s, std::move(schema), {});
}

void ObjectSchema::scalar(const FieldSpec& s, Scalar scalar) {
  std::visit([&](auto* v) { value(s, *v); }, scalar);
}

void ObjectSchema::enumeration(const FieldSpec& s, std::int64_t& v, const std::vector<Choice>& choices) {
  ordered_json schema{{"enum", ordered_json::array()}};
  std::string text(s.doc);
  if (!s.follows.empty()) text += "; follows from " + std::string(s.follows);
  for (const Choice& c : choices) {
    schema["enum"].push_back(std::string(c.name));
    if (!c.doc.empty()) text += "\n" + std::string(c.name) + ": " + std::string(c.doc);
    if (c.value == v && !s.required) schema["default"] = std::string(c.name);
  }
  schema["description"] = text;
  put(s, std::move(schema), {});
}

void ObjectSchema::nested(const FieldSpec& s, const std::function<void(Describer&)>& body) {
  ObjectSchema inner(families_);
  body(inner);
  put(s, inner.shape(), inner.demand());
}

void ObjectSchema::array(const FieldSpec& s, std::size_t, const std::function<void(std::size_t, Describer&)>& element,
                         const std::function<void(std::size_t)>& restart) {
  restart(1);
  ObjectSchema inner(families_);
  element(0, inner);
  ordered_json demand = inner.demand();
  if (!demand.empty()) demand = {{"items", std::move(demand)}};
  put(s, {{"type", "array"}, {"items", inner.shape()}}, std::move(demand));
}

void ObjectSchema::polymorphic(const FieldSpec& s, std::string_view family, AnyConfig&) {
  use(family);
  put(s, reference(shape_name(family)), reference(demand_name(family)));
}

void ObjectSchema::polymorphic_map(const FieldSpec& s, std::string_view family,
                                   std::vector<std::pair<std::string, AnyConfig>>&) {
  use(family);
  ordered_json shape{{"type", "object"},
                     {"properties", {{"$use", reference("$use")}}},
                     {"propertyNames", {{"pattern", "^([^$. ][^. ]*|\\$use)$"}}},
                     {"additionalProperties", reference(shape_name(family))}};
  put(s, std::move(shape), unless_used({{"additionalProperties", reference(demand_name(family))}}));
}

void ObjectSchema::use(std::string_view family) {
  if (std::find(families_.begin(), families_.end(), family) == families_.end()) families_.emplace_back(family);
}

}  // namespace tsunagi::config::detail
