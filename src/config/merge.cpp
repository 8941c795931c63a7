// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

#include "config/compose.hpp"
#include "config/text/member_index.hpp"

namespace tsunagi::config::detail {

namespace {

using Names = std::unordered_set<std::string>;

void erase_all(Value& object, const Names& names) {
  const auto named = [&names](const Member& m) { return names.count(m.name) != 0; };
  if (std::none_of(object.members.begin(), object.members.end(), named)) return;
  std::vector<Member>& own = object.members.edit();
  own.erase(std::remove_if(own.begin(), own.end(), named), own.end());
}

void merge_sources(Value& base, Value over) {
  Value* sources = base.edit("$sources");
  if (sources == nullptr) {
    Place place = over.place;
    base.members.edit().push_back({"$sources", std::move(place), std::move(over)});
    return;
  }
  if (!sources->is_object() || !over.is_object()) {
    *sources = std::move(over);
    return;
  }
  Names names;
  for (const Member& m : over.members) names.insert(m.name);
  erase_all(*sources, names);
  std::vector<Member>& own = sources->members.edit();
  for (Member& m : over.members.edit()) own.push_back(std::move(m));
}

}  // namespace

void merge(Value& base, Value over) {
  base.place = over.place;
  base.incomplete = base.incomplete || over.incomplete;
  if (over.members.empty()) return;  // shares what it holds with all that use it as it is
  std::optional<Value> sources;
  std::vector<Member>& members = base.members.edit();
  for (Member& m : members) ++m.age;
  MemberIndex index(members);
  Names replaced;
  for (Member& m : over.members.edit()) {
    if (m.name == "$sources") {
      sources = std::move(m.value);
      continue;
    }
    const std::size_t at = index.find(m.name);
    Value* old = at == MemberIndex::none ? nullptr : &members[at].value;
    if (old != nullptr && old->is_object() && m.value.is_object()) {
      merge(*old, std::move(m.value));
      continue;
    }
    replaced.insert(m.name);
    if (old != nullptr) {
      *old = std::move(m.value);
      members[at].age = m.age;
    } else {
      members.push_back(std::move(m));
    }
  }
  if (Value* old_sources = base.edit("$sources")) erase_all(*old_sources, replaced);
  if (sources) merge_sources(base, std::move(*sources));
}

}  // namespace tsunagi::config::detail
