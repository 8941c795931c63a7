// SPDX-License-Identifier: Apache-2.0
#include "config/fields/object_reader.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "config/fields/scalars.hpp"
#include "config/fields/sources.hpp"
#include "config/suggest.hpp"
#include "config/text/printable.hpp"

namespace tsunagi::config::detail {

namespace {

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string not_a(std::string_view wanted, const Value& value) {
  return "must be " + std::string(wanted) + ", not " + std::string(type_name(value));
}

}  // namespace

ObjectReader::ObjectReader(const Value& object, std::string pointer, const Reading& reading)
    : object_(object), pointer_(std::move(pointer)), reading_(reading), sources_(object.find("$sources")) {
  if (sources_ != nullptr && !sources_->is_object()) {
    fail(sources_->place, below(pointer_, "$sources"), not_a("an object", *sources_));
    sources_ = nullptr;
  }
}

void ObjectReader::read(const Value& value, const std::string& pointer, const Reading& reading,
                        const std::function<void(Describer&)>& body) {
  if (!value.is_object()) {
    reading.messages.push_back({value.place, pointer, not_a("an object", value)});
    return;
  }
  const std::size_t before = reading.messages.size();
  ObjectReader reader(value, pointer, reading);
  body(reader);
  reader.finish(before);
}

AnyConfig ObjectReader::read_kind(const Value& value, const std::string& pointer, const Reading& reading,
                                  std::string_view family) {
  const KindTable* table = reading.kinds.find(family);
  if (table == nullptr) throw std::logic_error("no kinds of the family \"" + std::string(family) + "\"");
  if (!value.is_object()) {
    reading.messages.push_back({value.place, pointer, not_a("an object", value)});
    return {};
  }
  const std::pair<const KindTable*, const void*> from{table, value.members.identity()};
  if (const auto known = reading.good.find(from); known != reading.good.end()) return known->second;
  const auto names = [table] {
    std::vector<std::string> out;
    for (const Kind& k : table->kinds) out.push_back(k.name);
    return out;
  };
  const Value* word = value.find("kind");
  if (word == nullptr) {
    if (!value.incomplete) {
      reading.messages.push_back(
          {value.place, pointer, "missing required field \"kind\"; known kinds: " + listed(names())});
    }
    return {};
  }
  if (!word->is_string()) {
    reading.messages.push_back({word->place, below(pointer, "kind"), not_a("a string", *word)});
    return {};
  }
  const Kind* kind = table->find(word->text);
  if (kind == nullptr) {
    reading.messages.push_back({word->place, pointer, unknown("kind", word->text, names())});
    return {};
  }
  std::shared_ptr<ConfigObject> object = kind->make();
  const std::size_t before = reading.messages.size();
  ObjectReader reader(value, pointer, reading);
  reader.known_.push_back("kind");
  object->describe(reader);
  reader.finish(before);
  AnyConfig config{kind->name, std::move(object)};
  // Of an incomplete one it is not told what is missing, which is told of its complete copies.
  if (reading.messages.size() == before && !value.incomplete) reading.good.emplace(from, config);
  return config;
}

void ObjectReader::fail(const Place& place, const std::string& pointer, const std::string& text) {
  reading_.messages.push_back({place, pointer, text});
}

/// The field's value, unless it was written before that of the field which it follows.
const Value* ObjectReader::written(const FieldSpec& s) const {
  const Member* own = nullptr;
  const Member* leader = nullptr;
  for (const Member& m : object_.members) {
    if (m.name == s.name) own = &m;
    if (!s.follows.empty() && m.name == s.follows) leader = &m;
  }
  if (own == nullptr) return nullptr;
  const bool kept = !s.but.empty() && own->value.is_string() && own->value.text == s.but;
  return leader != nullptr && leader->age < own->age && !kept ? nullptr : &own->value;
}

const Value* ObjectReader::given(const FieldSpec& s) {
  known_.emplace_back(s.name);
  const Value* value = written(s);
  if (value == nullptr && s.required && !object_.incomplete) {
    fail(object_.place, pointer_, "missing required field " + in_quotes(s.name) + " (" + std::string(s.doc) + ")");
  }
  return value;
}

template <class T>
bool ObjectReader::take(const FieldSpec& s, const Value& from, const std::string& pointer, T& to) {
  T value{};
  std::string wrong = convert(s, from, value);
  if (wrong.empty()) wrong = out_of_bounds(s, value);
  if constexpr (std::is_same_v<T, std::int64_t>) {
    constexpr int low = std::numeric_limits<int>::min();
    constexpr int high = std::numeric_limits<int>::max();
    if (wrong.empty() && s.narrow && (value < low || value > high)) {
      wrong = "must be " + show(std::int64_t{low}) + " to " + show(std::int64_t{high}) + ", not " + show(value);
    }
  }
  if constexpr (std::is_same_v<T, Rate>) {
    if (wrong.empty() && value.is_infinite() && !takes_infinite(s, to)) wrong = "must be finite";
  }
  if (!wrong.empty()) {
    fail(from.place, pointer, wrong);
    return false;
  }
  to = std::move(value);
  return true;
}

template <class T>
void ObjectReader::value(const FieldSpec& s, T& value) {
  const Value* from = given(s);
  const bool good = from != nullptr && take(s, *from, at(s), value);
  if constexpr (has_order<T>) check_range(s, good ? &value : nullptr);
}

template <class T>
void ObjectReader::value(const FieldSpec& s, std::vector<T>& values) {
  const Value* from = given(s);
  if (from == nullptr) return;
  if (s.or_one && from->type != Value::Type::array) {
    T one{};
    if (take(s, *from, at(s), one)) values.assign(1, one);
    return;
  }
  if (from->type != Value::Type::array) return fail(from->place, at(s), not_a("an array", *from));
  values.assign(from->items.size(), T{});
  for (std::size_t i = 0; i < values.size(); ++i) {
    take(s, from->items[i], below(at(s), std::to_string(i)), values[i]);
  }
}

/// Holds a field's value (if it was given) against the range of its "$sources" entry.
template <class T>
void ObjectReader::check_range(const FieldSpec& s, const T* value) {
  const Value* entry = sources_ != nullptr ? sources_->find(s.name) : nullptr;
  const Value* range = entry != nullptr ? entry->find("range") : nullptr;
  if (range == nullptr || range->type != Value::Type::array || range->items.size() < 2) return;
  const std::string pointer = below(below(below(pointer_, "$sources"), s.name), "range");
  if (range->items.size() > 2) return fail(range->place, pointer, "must be [low, high]");
  T bounds[2] = {};
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string wrong = convert(s, range->items[i], bounds[i]);
    if (!wrong.empty()) return fail(range->items[i].place, below(pointer, std::to_string(i)), wrong);
  }
  if (less(bounds[1], bounds[0])) return fail(range->place, pointer, "must be [low, high], low first");
  if (value != nullptr && (less(*value, bounds[0]) || less(bounds[1], *value))) {
    fail(object_.find(s.name)->place, at(s),
         show(*value) + " is outside its \"$sources\" range of " + show(bounds[0]) + " to " + show(bounds[1]));
  }
}

void ObjectReader::scalar(const FieldSpec& s, Scalar scalar) {
  std::visit([&](auto* v) { value(s, *v); }, scalar);
}

void ObjectReader::enumeration(const FieldSpec& s, std::int64_t& v, const std::vector<Choice>& choices) {
  const Value* from = given(s);
  if (from == nullptr) return;
  std::vector<std::string> words;
  for (const Choice& c : choices) words.emplace_back(c.name);
  if (!from->is_string()) return fail(from->place, at(s), not_a("one of " + listed(words), *from));
  for (const Choice& c : choices) {
    if (c.name != from->text) continue;
    v = c.value;
    return;
  }
  fail(from->place, at(s), unknown("word", from->text, words));
}

void ObjectReader::nested(const FieldSpec& s, const std::function<void(Describer&)>& body) {
  if (const Value* from = given(s)) read(*from, at(s), reading_, body);
}

void ObjectReader::array(const FieldSpec& s, std::size_t, const std::function<void(std::size_t, Describer&)>& element,
                         const std::function<void(std::size_t)>& restart) {
  const Value* from = given(s);
  if (from == nullptr) return;
  if (from->type != Value::Type::array) return fail(from->place, at(s), not_a("an array", *from));
  restart(from->items.size());
  for (std::size_t i = 0; i < from->items.size(); ++i) {
    read(from->items[i], below(at(s), std::to_string(i)), reading_, [&](Describer& d) { element(i, d); });
  }
}

void ObjectReader::polymorphic(const FieldSpec& s, std::string_view family, AnyConfig& v) {
  if (const Value* from = given(s)) v = read_kind(*from, at(s), reading_, family);
}

void ObjectReader::polymorphic_map(const FieldSpec& s, std::string_view family,
                                   std::vector<std::pair<std::string, AnyConfig>>& v) {
  const Value* from = given(s);
  if (from == nullptr) return;
  if (!from->is_object()) return fail(from->place, at(s), not_a("an object", *from));
  v.clear();
  for (const Member& m : from->members) {
    if (m.name.empty() || m.name.front() == '$' || !is_printable(m.name)) {
      fail(m.place, at(s), in_quotes(m.name) + " is no name");
      continue;
    }
    if (m.name.find_first_of(". ") != std::string::npos) {  // a dot separates parts of a full name
      fail(m.place, at(s), in_quotes(m.name) + " is no name: there may be no dot and no blank in it");
      continue;
    }
    v.emplace_back(m.name, read_kind(m.value, below(at(s), m.name), reading_, family));
  }
}

void ObjectReader::require(bool ok, std::string_view message) {
  if (!ok) broken_rules_.emplace_back(message);
}

void ObjectReader::advise(bool ok, std::string_view field, std::string_view message) {
  if (ok) return;
  const Value* value = object_.find(field);
  oddities_.push_back({value != nullptr ? value->place : object_.place, below(pointer_, field), std::string(message)});
}

void ObjectReader::finish(std::size_t messages_before) {
  // a rule over fields says nothing while one of them is wrong or missing
  if (reading_.messages.size() == messages_before && !object_.incomplete) {
    for (const std::string& rule : broken_rules_) fail(object_.place, pointer_, rule);
    if (reading_.warnings != nullptr)
      reading_.warnings->insert(reading_.warnings->end(), oddities_.begin(), oddities_.end());
  }
  for (const Member& m : object_.members) {
    if (m.name != "$sources" && !contains(known_, m.name)) fail(m.place, pointer_, unknown("key", m.name, known_));
  }
  if (sources_ != nullptr) check_sources();
}

void ObjectReader::check_sources() {
  const std::string pointer = below(pointer_, "$sources");
  for (const Member& m : sources_->members) {
    if (m.name == "kind" || !contains(known_, m.name)) {
      fail(m.place, pointer, unknown("field", m.name, known_));
    } else {
      check_source(m.value, below(pointer, m.name), reading_.messages);
    }
  }
}

}  // namespace tsunagi::config::detail
