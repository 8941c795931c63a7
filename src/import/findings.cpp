// SPDX-License-Identifier: Apache-2.0
#include "import/findings.hpp"

#include <algorithm>
#include <charconv>

#include "config/text/printable.hpp"

namespace tsunagi::importing {

namespace {

const char* const blanks = " \t\r\n\v\f";

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }

}  // namespace

Source::Source(std::string file, std::string_view text)
    : file_(std::make_shared<const std::string>(std::move(file))), text_(text) {
  begins_.push_back(0);
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n', end + 1))
    if (end + 1 < text.size()) begins_.push_back(end + 1);
}

std::string_view Source::line_text(std::size_t number) const {
  const std::size_t begin = begins_[number - 1];
  std::string_view line = text_.substr(begin, std::min(text_.find('\n', begin), text_.size()) - begin);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

config::Place Source::at(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  const auto behind = std::upper_bound(begins_.begin(), begins_.end(), offset);
  const std::size_t line = static_cast<std::size_t>(behind - begins_.begin()) - 1;
  // Lines without end are not counted to their ends for each of many messages.
  constexpr std::size_t most_columns = 1'000'000;
  const std::string_view before = text_.substr(begins_[line], std::min(offset - begins_[line], most_columns));
  return {file_, static_cast<int>(line + 1),
          1 + static_cast<int>(std::count_if(before.begin(), before.end(), begins_character))};
}

void Findings::fail(config::Place place, std::string text) {
  if (!is_full()) errors_.push_back({std::move(place), "", std::move(text)});
}

void Findings::warn(config::Place place, std::string text) {
  const auto known = told_.find(text);
  if (known == told_.end() && warnings_.size() >= most_warnings) {
    ++more_warnings_;
    return;
  }
  const auto [it, is_new] = told_.emplace(text, warnings_.size());
  if (is_new)
    warnings_.push_back({{std::move(place), "", std::move(text)}, 1});
  else
    ++warnings_[it->second].second;
}

std::vector<config::Message> Findings::warnings() const {
  std::vector<config::Message> out;
  for (const auto& [message, times] : warnings_) {
    out.push_back(message);
    if (times > 1) out.back().text += " (" + std::to_string(times) + " times in the file)";
  }
  if (more_warnings_ > 0)
    out.push_back({warnings_.front().first.place, "", "and " + std::to_string(more_warnings_) + " more warnings"});
  return out;
}

std::string comment(std::string_view text) {
  constexpr std::size_t most = 100;
  std::string cut(text.substr(0, 4 * most));  // what is printable of more than that is cut all the same
  cut = config::printable(cut);
  std::size_t characters = 0;
  for (std::size_t i = 0; i < cut.size(); ++i)
    if (begins_character(cut[i]) && ++characters > most) {
      cut.resize(i);
      cut += "...";
      break;
    }
  for (std::size_t at = cut.find("*/"); at != std::string::npos; at = cut.find("*/", at)) cut.insert(at + 1, " ");
  return cut;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t at = text.find_first_not_of(blanks); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(blanks, at), text.size());
    out.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(blanks, end);
  }
  return out;
}

bool parse_number(std::string_view text, int base, long least, long most, long& out) {
  long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return false;
  if (value < least || value > most) return false;
  out = value;
  return true;
}

}  // namespace tsunagi::importing
