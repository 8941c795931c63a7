// SPDX-License-Identifier: Apache-2.0
// A JSON value that remembers where it was written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "config/message.hpp"
#include "config/shared_list.hpp"

namespace tsunagi::config {

struct Member;

/// One value of a document with its place; an object keeps the order of its keys. Copies share what is inside, until
/// one changes it: a part that is used a thousand times is there once.
struct Value {
  enum class Type { null, boolean, integer, number, string, array, object };

  Type type = Type::null;
  bool boolean = false;
  std::int64_t integer = 0;
  double number = 0;           // also set for an integer
  std::string text;            // a string's content, or a number as written
  SharedList<Value> items;     // of an array
  SharedList<Member> members;  // of an object
  Place place;
  bool incomplete = false;  // a "$use" failed: what is missing here may not be the author's fault

  bool is_object() const { return type == Type::object; }
  bool is_string() const { return type == Type::string; }
  /// It has values inside.
  bool is_structured() const { return !items.empty() || !members.empty(); }
  /// The member's value, or null if this is no object or lacks it.
  const Value* find(std::string_view name) const;
  /// The same to be changed: from here on this value's own.
  Value* edit(std::string_view name);
  /// Removes the member if it is there.
  void erase(std::string_view name);
};

/// One key of an object; `place` is the key's, `age` how many layers were laid over the object since it was written:
/// each file that uses its file, and the command line, which is one layer.
struct Member {
  std::string name;
  Place place;
  Value value;
  int age = 0;
};

/// How many values there are in a value, itself included, and how many objects and arrays inside each other.
struct Size {
  std::size_t values = 0;
  std::size_t levels = 0;
};
Size size_of(const Value& value);

/// "an object", "a string", … as messages say it.
std::string_view type_name(const Value& value);
/// The value without places.
nlohmann::ordered_json to_json(const Value& value);

}  // namespace tsunagi::config
