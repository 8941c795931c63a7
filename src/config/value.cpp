// SPDX-License-Identifier: Apache-2.0
#include "config/value.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tsunagi::config {

const Value* Value::find(std::string_view name) const {
  for (const Member& m : members) {
    if (m.name == name) return &m.value;
  }
  return nullptr;
}

Value* Value::edit(std::string_view name) {
  for (std::size_t i = 0; i < members.size(); ++i)
    if (members[i].name == name) return &members.edit()[i].value;
  return nullptr;
}

void Value::erase(std::string_view name) {
  if (find(name) == nullptr) return;
  std::vector<Member>& own = members.edit();
  own.erase(std::remove_if(own.begin(), own.end(), [&](const Member& m) { return m.name == name; }), own.end());
}

Size size_of(const Value& value) {
  Size size{1, 0};
  const auto add = [&size](const Value& inner) {
    const Size s = size_of(inner);
    size.values += s.values;
    size.levels = std::max(size.levels, s.levels);
  };
  for (const Value& item : value.items) add(item);
  for (const Member& m : value.members) add(m.value);
  if (value.is_object() || value.type == Value::Type::array) ++size.levels;
  return size;
}

std::string_view type_name(const Value& value) {
  switch (value.type) {
    case Value::Type::null:
      return "null";
    case Value::Type::boolean:
      return "a boolean";
    case Value::Type::integer:
    case Value::Type::number:
      return "a number";
    case Value::Type::string:
      return "a string";
    case Value::Type::array:
      return "an array";
    case Value::Type::object:
      return "an object";
  }
  return "a value";
}

nlohmann::ordered_json to_json(const Value& value) {
  switch (value.type) {
    case Value::Type::null:
      return nullptr;
    case Value::Type::boolean:
      return value.boolean;
    case Value::Type::integer:
      return value.integer;
    case Value::Type::number:
      return value.number;
    case Value::Type::string:
      return value.text;
    case Value::Type::array: {
      auto out = nlohmann::ordered_json::array();
      for (const Value& item : value.items) out.push_back(to_json(item));
      return out;
    }
    case Value::Type::object:
      break;
  }
  auto out = nlohmann::ordered_json::object();
  // Names differ: to look for each among those before it would take its time.
  auto& members = out.get_ref<nlohmann::ordered_json::object_t&>();
  members.reserve(value.members.size());
  for (const Member& m : value.members) members.push_back({m.name, to_json(m.value)});
  return out;
}

}  // namespace tsunagi::config
