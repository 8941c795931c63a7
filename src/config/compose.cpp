// SPDX-License-Identifier: Apache-2.0
#include "config/compose.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <system_error>
#include <utility>

#include "config/json_text.hpp"

namespace tsunagi::config::detail {

namespace fs = std::filesystem;

namespace {

/// The file's content, or why there is none.
std::optional<std::string> read_text(const fs::path& file, std::string& why) {
  std::error_code error;
  if (fs::is_directory(file, error)) {
    why = "is a directory";
    return std::nullopt;
  }
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  std::string text;
  if (in) text.assign(std::istreambuf_iterator<char>(in), {});
  if (!in || in.bad()) {
    why = errno != 0 ? std::strerror(errno) : "read error";
    return std::nullopt;
  }
  return text;
}

fs::path identity_of(const fs::path& file) {
  std::error_code error;
  fs::path canonical = fs::weakly_canonical(file, error);
  return error ? file.lexically_normal() : canonical;
}

void mark_incomplete(Value& value) {
  if (!value.is_object()) return;
  value.incomplete = true;
  for (Member& m : value.members) mark_incomplete(m.value);
}

void merge_sources(Value& base, Value over) {
  Value* sources = base.find("$sources");
  if (sources == nullptr) {
    Place place = over.place;
    base.members.push_back({"$sources", std::move(place), std::move(over)});
    return;
  }
  if (!sources->is_object() || !over.is_object()) {
    *sources = std::move(over);
    return;
  }
  for (Member& m : over.members) {
    sources->erase(m.name);
    sources->members.push_back(std::move(m));
  }
}

}  // namespace

void merge(Value& base, Value over) {
  base.place = over.place;
  base.incomplete = base.incomplete || over.incomplete;
  std::optional<Value> sources;
  for (Member& m : over.members) {
    if (m.name == "$sources") {
      sources = std::move(m.value);
      continue;
    }
    Value* old = base.find(m.name);
    if (old != nullptr && old->is_object() && m.value.is_object()) {
      merge(*old, std::move(m.value));
      continue;
    }
    if (Value* old_sources = base.find("$sources")) old_sources->erase(m.name);
    if (old != nullptr) {
      *base.find(m.name) = std::move(m.value);
    } else {
      base.members.push_back(std::move(m));
    }
  }
  if (sources) merge_sources(base, std::move(*sources));
}

std::optional<Value> Composer::root_file(const fs::path& file) {
  const fs::path identity = identity_of(file);
  std::string why;
  const std::optional<std::string> text = read_text(file, why);
  if (!text) {
    const Place place{std::make_shared<const std::string>(file.string()), 0, 0};
    messages_.push_back({place, {}, "cannot be read: " + why});
    return std::nullopt;
  }
  std::optional<Value> value = parse_json(*text, file.string(), messages_);
  if (!value) return std::nullopt;
  open_.push_back({identity, file.string()});
  value->erase("$schema");
  Value composed = compose(std::move(*value), file.parent_path(), {});
  open_.pop_back();
  return composed;
}

Value Composer::compose(Value value, const fs::path& folder, const std::string& pointer) {
  compose_members(value, folder, pointer);
  const Value* use = value.is_object() ? value.find("$use") : nullptr;
  if (use == nullptr) return value;
  std::optional<Value> base = used_file(*use, folder, pointer);
  value.erase("$use");
  if (!base) {
    mark_incomplete(value);
    return value;
  }
  merge(*base, std::move(value));
  return std::move(*base);
}

void Composer::compose_members(Value& value, const fs::path& folder, const std::string& pointer) {
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    value.items[i] = compose(std::move(value.items[i]), folder, below(pointer, std::to_string(i)));
  }
  for (Member& m : value.members) {
    if (m.name == "$sources") continue;
    m.value = compose(std::move(m.value), folder, below(pointer, m.name));
  }
}

std::optional<Value> Composer::used_file(const Value& use, const fs::path& folder, const std::string& pointer) {
  const auto fail = [&](const std::string& text) {
    messages_.push_back({use.place, pointer, text});
    return std::nullopt;
  };
  if (!use.is_string() || use.text.empty()) return fail("\"$use\" must be a file name");
  const fs::path file = (folder / use.text).lexically_normal();
  const fs::path identity = identity_of(file);
  for (const Open& open : open_) {
    if (open.identity == identity) return fail("\"$use\" goes round in a circle: " + chain(identity, file.string()));
  }
  std::string why;
  const auto known = files_.find(identity.string());
  if (known == files_.end()) {
    const std::optional<std::string> text = read_text(file, why);
    if (!text) return fail("\"$use\" of " + in_quotes(file.string()) + " fails: " + why);
    std::vector<Message> faults;
    files_[identity.string()] = parse_json(*text, file.string(), faults);
    for (Message& m : faults) messages_.push_back({m.place, pointer + m.pointer, m.text});
  }
  const std::optional<Value>& parsed = files_[identity.string()];
  if (!parsed) return std::nullopt;
  if (!parsed->is_object()) {
    return fail("\"$use\" of " + in_quotes(file.string()) + " fails: it holds " + std::string(type_name(*parsed)) +
                ", not an object");
  }
  Value copy = *parsed;
  copy.erase("$schema");
  open_.push_back({identity, file.string()});
  Value composed = compose(std::move(copy), file.parent_path(), pointer);
  open_.pop_back();
  return composed;
}

std::string Composer::chain(const fs::path& again, const std::string& name) const {
  std::string text;
  bool inside = false;
  for (const Open& open : open_) {
    inside = inside || open.identity == again;
    if (inside) text += open.name + " -> ";
  }
  return text + name;
}

}  // namespace tsunagi::config::detail
