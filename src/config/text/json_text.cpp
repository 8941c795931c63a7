// SPDX-License-Identifier: Apache-2.0
#include "config/text/json_text.hpp"

#include <list>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "config/compose.hpp"
#include "config/text/member_index.hpp"
#include "config/text/printable.hpp"
#include "config/text/text_cursor.hpp"

namespace tsunagi::config::detail {

namespace {

/// "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error …" without its preamble.
std::string plain(const std::exception& error) {
  std::string text = told_by(error);
  if (text.rfind("parse error at ", 0) == 0) {
    if (const auto end = text.find(": "); end != std::string::npos) text.erase(0, end + 2);
  }
  return text;
}

/// Builds values from the parser's events; a cursor beside it finds the place of each token.
class Builder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(std::string_view text, const std::string& name, std::vector<Message>& messages)
      : cursor_(text), file_(std::make_shared<const std::string>(name)), messages_(messages) {}

  Value take() { return std::move(root_); }

  bool null() override { return add(Value::Type::null) != nullptr; }
  bool boolean(bool v) override {
    Value* value = add(Value::Type::boolean);
    if (value != nullptr) value->boolean = v;
    return value != nullptr;
  }
  bool number_integer(number_integer_t v) override { return integer(v); }
  bool number_unsigned(number_unsigned_t v) override {
    if (v <= static_cast<number_unsigned_t>(INT64_MAX)) return integer(static_cast<std::int64_t>(v));
    return number_float(static_cast<double>(v), {});
  }
  bool number_float(number_float_t v, const string_t&) override {
    Value* value = add(Value::Type::number);
    if (value == nullptr) return false;
    value->number = v;
    value->text = std::string(token_.text);
    return true;
  }
  bool string(string_t& v) override {
    Value* value = add(Value::Type::string);
    if (value != nullptr) value->text = std::move(v);
    return value != nullptr;
  }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Value::Type::object); }
  bool start_array(std::size_t) override { return open(Value::Type::array); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override;
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& e) override;

 private:
  struct Level {
    Level(Value* v, std::string p) : value(v), pointer(std::move(p)), names(v->members.edit()) {}
    Value* value;
    std::string pointer;
    MemberIndex names;
  };

  bool integer(std::int64_t v) {
    Value* value = add(Value::Type::integer);
    if (value == nullptr) return false;
    value->integer = v;
    value->number = static_cast<double>(v);
    value->text = std::string(token_.text);
    return true;
  }
  Place place() const { return {file_, token_.line, token_.column}; }
  std::string next_pointer() const;
  /// The next value's place; null: there are too many, as was told.
  Value* add(Value::Type type);
  bool open(Value::Type type);
  bool close() {
    token_ = cursor_.next_value();
    levels_.pop_back();
    return true;
  }

  TextCursor cursor_;
  TextCursor::Token token_;
  std::shared_ptr<const std::string> file_;
  std::vector<Message>& messages_;
  Value root_;
  std::list<Value> discarded_;  // values of duplicate keys
  std::vector<Level> levels_;
  std::size_t values_ = 0;
  bool duplicate_ = false;
};

std::string Builder::next_pointer() const {
  if (levels_.empty()) return {};
  const Level& top = levels_.back();
  if (top.value->type == Value::Type::array) return below(top.pointer, std::to_string(top.value->items.size()));
  return below(top.pointer, top.value->members.empty() ? "" : top.value->members.back().name);
}

Value* Builder::add(Value::Type type) {
  token_ = cursor_.next_value();
  if (++values_ > most_values) {
    messages_.push_back({place(), {}, "more than " + std::to_string(most_values) + " values"});
    return nullptr;
  }
  Value* value = &root_;
  if (!levels_.empty()) {
    Value& parent = *levels_.back().value;
    if (parent.type == Value::Type::array) {
      value = &parent.items.edit().emplace_back();
    } else if (duplicate_) {
      value = &discarded_.emplace_back();
    } else {
      value = &parent.members.edit().back().value;
    }
  }
  duplicate_ = false;
  value->type = type;
  value->place = place();
  return value;
}

bool Builder::open(Value::Type type) {
  std::string pointer = next_pointer();
  Value* value = add(type);
  if (value == nullptr) return false;
  if (levels_.size() == most_levels) {
    messages_.push_back({place(), {}, "nested deeper than " + std::to_string(most_levels) + " levels"});
    return false;
  }
  levels_.emplace_back(value, std::move(pointer));
  return true;
}

bool Builder::key(string_t& name) {
  token_ = cursor_.next_value();
  std::vector<Member>& members = levels_.back().value->members.edit();
  const std::size_t first = levels_.back().names.find(name);
  duplicate_ = first != MemberIndex::none;
  if (duplicate_)
    messages_.push_back(
        {place(), levels_.back().pointer,
         "duplicate key " + in_quotes(name) + ", first given in line " + std::to_string(members[first].place.line)});
  else
    members.push_back({name, place(), {}});
  return true;
}

bool Builder::parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& e) {
  // the token the parser stopped in; a string without end reaches to the end of the text
  while (cursor_.offset() < position) {
    token_ = cursor_.next();
    if (token_.text.empty() || (token_.text.front() == '"' && cursor_.at_end())) break;
  }
  messages_.push_back({place(), {}, plain(e)});
  return false;
}

}  // namespace

std::optional<Value> parse_json(std::string_view text, const std::string& name, std::vector<Message>& messages) {
  Builder builder(text, name, messages);
  const bool good =
      nlohmann::json::sax_parse(text.begin(), text.end(), &builder, nlohmann::json::input_format_t::json, true, true);
  if (!good) return std::nullopt;
  return builder.take();
}

}  // namespace tsunagi::config::detail
