// SPDX-License-Identifier: Apache-2.0
#include "config/text/lines_text.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "config/compose.hpp"
#include "config/text/printable.hpp"
#include "config/text/text_cursor.hpp"

namespace tsunagi::config::detail {

namespace {

constexpr std::string_view blanks = " \t\r";

/// A line without its comment and without the blanks around it.
std::string_view bare(std::string_view line) {
  line = line.substr(0, line.find('#'));
  const auto first = line.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(blanks) + 1 - first);
}

}  // namespace

Value parse_lines(std::string_view text, const std::string& name, bool shown, std::vector<Message>& messages) {
  if (text.substr(0, byte_order_mark.size()) == byte_order_mark) text.remove_prefix(byte_order_mark.size());
  Value out;
  out.type = Value::Type::array;
  Place place{std::make_shared<const std::string>(name), 0, 1};
  std::vector<Value>& items = out.items.edit();
  while (!text.empty()) {
    ++place.line;
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = bare(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    if (items.size() == most_values) {
      messages.push_back({place, {}, "more than " + std::to_string(most_values) + " lines"});
      break;
    }
    Value& item = items.emplace_back();
    item.type = Value::Type::string;
    item.text = line;
    item.place = place;
    if (!shown) item.place.unseen = std::make_shared<const std::string>(line);
    std::replace(item.text.begin(), item.text.end(), '\t', ' ');
    if (!is_utf8(item.text))
      messages.push_back({item.place, {}, "is no UTF-8"});
    else if (const std::string_view odd = unprintable(item.text); !odd.empty())
      messages.push_back({item.place, {}, in_quotes(item.text) + " holds " + std::string(odd)});
  }
  place.line = 0;
  if (items.empty()) messages.push_back({place, {}, "holds no lines"});
  return out;
}

}  // namespace tsunagi::config::detail
