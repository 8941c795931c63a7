// SPDX-License-Identifier: Apache-2.0
#include "config/json_text.hpp"

#include <list>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "config/text_cursor.hpp"

namespace tsunagi::config::detail {

namespace {

constexpr std::size_t max_depth = 200;

/// "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error …" without its preamble.
std::string plain(std::string text) {
  if (const auto end = text.find("] "); text.rfind("[json", 0) == 0 && end != std::string::npos) text.erase(0, end + 2);
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
    add(Value::Type::boolean)->boolean = v;
    return true;
  }
  bool number_integer(number_integer_t v) override { return integer(v); }
  bool number_unsigned(number_unsigned_t v) override {
    if (v <= static_cast<number_unsigned_t>(INT64_MAX)) return integer(static_cast<std::int64_t>(v));
    return number_float(static_cast<double>(v), {});
  }
  bool number_float(number_float_t v, const string_t&) override {
    Value* value = add(Value::Type::number);
    value->number = v;
    value->text = std::string(token_.text);
    return true;
  }
  bool string(string_t& v) override {
    add(Value::Type::string)->text = std::move(v);
    return true;
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
    Value* value;
    std::string pointer;
  };

  bool integer(std::int64_t v) {
    Value* value = add(Value::Type::integer);
    value->integer = v;
    value->number = static_cast<double>(v);
    value->text = std::string(token_.text);
    return true;
  }
  Place place() const { return {file_, token_.line, token_.column}; }
  std::string next_pointer() const;
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
  Value* value = &root_;
  if (!levels_.empty()) {
    Value& parent = *levels_.back().value;
    if (parent.type == Value::Type::array) {
      value = &parent.items.emplace_back();
    } else if (duplicate_) {
      value = &discarded_.emplace_back();
    } else {
      value = &parent.members.back().value;
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
  if (levels_.size() == max_depth) {
    messages_.push_back({place(), {}, "nested deeper than " + std::to_string(max_depth) + " levels"});
    return false;
  }
  levels_.push_back({value, std::move(pointer)});
  return true;
}

bool Builder::key(string_t& name) {
  token_ = cursor_.next_value();
  Value& object = *levels_.back().value;
  for (const Member& m : object.members) {
    if (m.name != name) continue;
    messages_.push_back({place(), levels_.back().pointer,
                         "duplicate key " + in_quotes(name) + ", first given in line " + std::to_string(m.place.line)});
    duplicate_ = true;
    return true;
  }
  object.members.push_back({name, place(), {}});
  return true;
}

bool Builder::parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& e) {
  // the token the parser stopped in; a string without end reaches to the end of the text
  while (cursor_.offset() < position) {
    token_ = cursor_.next();
    if (token_.text.empty() || (token_.text.front() == '"' && cursor_.at_end())) break;
  }
  messages_.push_back({place(), {}, plain(e.what())});
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
