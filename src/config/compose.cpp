// SPDX-License-Identifier: Apache-2.0
#include "config/compose.hpp"

#include <algorithm>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include "config/named_files.hpp"
#include "config/text/file_text.hpp"
#include "config/text/json_text.hpp"
#include "config/text/lines_text.hpp"
#include "config/text/unseen.hpp"

namespace tsunagi::config::detail {

namespace fs = std::filesystem;

namespace {

fs::path identity_of(const fs::path& file) {
  std::error_code error;
  fs::path canonical = fs::weakly_canonical(file, error);
  return error ? file.lexically_normal() : canonical;
}

/// Whether a file lies in `folder` or below it, wherever links lead.
bool is_below(const fs::path& folder, const fs::path& file) {
  const fs::path home = identity_of(fs::absolute(folder / "."));
  const fs::path place = identity_of(fs::absolute(file)).lexically_relative(home.lexically_normal());
  return !place.empty() && *place.begin() != "..";
}

/// The file that "$use" names, which lies where `folder` is or is one of those that have names.
fs::path used_path(const fs::path& folder, const std::string& name, const std::string& pointer, std::string& hint) {
  fs::path file = (folder / name).lexically_normal();
  std::error_code error;
  if (fs::exists(fs::symlink_status(file, error))) return file;
  return named_file(name, pointer, hint).value_or(file);
}

void mark_incomplete(Value& value) {
  if (!value.is_object()) return;
  value.incomplete = true;
  for (Member& m : value.members.edit()) mark_incomplete(m.value);
}

}  // namespace

std::optional<Value> Composer::root_file(const fs::path& file) {
  const fs::path identity = identity_of(file);
  std::string why;
  const std::optional<std::string> text = read_text(file, why);
  if (!text) {
    const Place place{std::make_shared<const std::string>(file.empty() ? "\"\"" : file.string()), 0, 0};
    messages_.push_back({place, {}, "cannot be read: " + why});
    return std::nullopt;
  }
  read_.push_back(file);
  std::optional<Value> value = parse_json(*text, file.string(), messages_);
  if (!value) return std::nullopt;
  open_.push_back({identity, file.string()});
  value->erase("$schema");
  Value composed = compose(std::move(*value), file.parent_path(), {});
  open_.pop_back();
  return composed;
}

Value Composer::compose(Value value, const fs::path& folder, const std::string& pointer, std::size_t depth) {
  compose_members(value, folder, pointer, depth);
  if (!value.is_object()) return value;
  if (value.find("$lines") != nullptr) return lines_value(value, folder, pointer, depth);
  const Value* use = value.find("$use");
  if (use == nullptr) return value;
  std::optional<Value> base = used_value(*use, "$use", folder, pointer, depth);
  value.erase("$use");
  if (!base) {
    mark_incomplete(value);
    return value;
  }
  merge(*base, std::move(value));
  return std::move(*base);
}

void Composer::compose_members(Value& value, const fs::path& folder, const std::string& pointer, std::size_t depth) {
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    if (Value& item = value.items.edit()[i]; item.is_structured())
      item = compose(std::move(item), folder, below(pointer, std::to_string(i)), depth + 1);
  }
  if (value.members.empty()) return;
  std::vector<Member>& members = value.members.edit();
  for (Member& m : members) {
    if (m.name != "$sources" && m.value.is_structured())
      m.value = compose(std::move(m.value), folder, below(pointer, m.name), depth + 1);
  }
  const auto failed = [](const Member& m) { return m.value.incomplete && !m.value.is_object(); };
  const auto kept = std::remove_if(members.begin(), members.end(), failed);
  if (kept == members.end()) return;
  members.erase(kept, members.end());
  value.incomplete = true;
}

/// The array that {"$lines": "file"} stands for; empty and incomplete if it cannot be had.
Value Composer::lines_value(const Value& object, const fs::path& folder, const std::string& pointer,
                            std::size_t depth) {
  std::optional<Value> lines;
  const auto beside =
      std::find_if(object.members.begin(), object.members.end(), [](const Member& m) { return m.name != "$lines"; });
  if (beside != object.members.end())
    messages_.push_back({beside->place, pointer, "beside \"$lines\" there can be no " + in_quotes(beside->name)});
  else
    lines = used_value(*object.find("$lines"), "$lines", folder, pointer, depth);
  Value out = lines ? std::move(*lines) : Value{};
  out.type = Value::Type::array;
  out.incomplete = !lines;
  out.place = object.place;
  return out;
}

std::optional<Value> Composer::used_value(const Value& name, const char* directive, const fs::path& folder,
                                          const std::string& pointer, std::size_t depth) {
  const auto fail = [&](const std::string& text) {
    messages_.push_back({name.place, pointer, text});
    return std::nullopt;
  };
  const bool lines = directive == std::string_view("$lines");
  if (!name.is_string() || name.text.empty()) return fail(in_quotes(directive) + " must be a file name");
  std::string hint;
  const fs::path file = lines ? (folder / name.text).lexically_normal() : used_path(folder, name.text, pointer, hint);
  if (const auto way = lines ? std::nullopt : circle(file)) return fail("\"$use\" goes round in a circle: " + *way);
  if (open_.size() >= most_open_files)
    return fail("more than " + std::to_string(most_open_files) + " files in a row of which each uses the next");
  const std::string too_deep = "nested deeper than " + std::to_string(most_levels) + " levels, with what is used";
  if (depth >= most_levels) return fail(too_deep);
  const Used& used = used_file({file, lines, folder}, pointer, depth);
  if (!used.value) {
    if (used.why.empty()) return std::nullopt;
    return fail(in_quotes(directive) + " of " + in_quotes(file.string()) + " fails: " + used.why + hint);
  }
  if (depth + used.size.levels > most_levels) return fail(too_deep);
  values_ += used.size.values;
  if (values_ > most_used)
    return fail("the document grows beyond " + std::to_string(most_used) + " values by what is used");
  return used.value;
}

const Composer::Used& Composer::used_file(const Source& source, const std::string& pointer, std::size_t depth) {
  const std::pair<std::string, bool> key{source.file.string(), source.lines};
  const auto known = files_.find(key);
  if (known != files_.end()) return known->second;
  Used used = read_used_file(source, pointer, depth);
  return files_[key] = std::move(used);
}

Composer::Used Composer::read_used_file(const Source& source, const std::string& pointer, std::size_t depth) {
  const auto& [file, lines, folder] = source;
  const bool shown = is_below(folder, file);
  Used used;
  const std::optional<std::string> text = read_text(file, used.why);
  if (!text) return used;
  read_.push_back(file);
  std::vector<Message> faults;
  std::optional<Value> parsed =
      lines ? parse_lines(*text, file.string(), shown, faults) : parse_json(*text, file.string(), faults);
  for (Message& m : faults)
    messages_.push_back({m.place, pointer + m.pointer, shown ? m.text : without_last_read(m.text)});
  if (!parsed || (lines && !faults.empty())) return used;
  if (!lines) {
    parsed->erase("$schema");
    open_.push_back({identity_of(file), file.string()});
    parsed = compose(std::move(*parsed), file.parent_path(), pointer, depth);
    open_.pop_back();
    if (!parsed->is_object()) {
      used.why = "it holds " + std::string(type_name(*parsed)) + ", not an object";
      return used;
    }
  }
  used.size = size_of(*parsed);
  used.value = std::move(parsed);
  return used;
}

/// The way round if a file is used while it is open itself. One that was composed before has been found good.
std::optional<std::string> Composer::circle(const fs::path& file) const {
  if (files_.count({file.string(), false}) != 0) return std::nullopt;
  const fs::path identity = identity_of(file);
  std::string text;
  for (const Open& open : open_)
    if (open.identity == identity || !text.empty()) text += open.name + " -> ";
  if (text.empty()) return std::nullopt;
  return text + file.string();
}

}  // namespace tsunagi::config::detail
