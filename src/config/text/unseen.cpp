// SPDX-License-Identifier: Apache-2.0
#include "config/text/unseen.hpp"

#include <algorithm>
#include <unordered_set>
#include <vector>

namespace tsunagi::config::detail {

namespace {

constexpr std::size_t shortest = 3;

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0u) == 0x80u; }

}  // namespace

std::string without_words_of(std::string_view text, std::string_view secret) {
  const std::size_t length = std::min(shortest, secret.size());
  if (length == 0) return std::string(text);
  std::unordered_set<std::string_view> runs;
  for (std::size_t i = 0; i + length <= secret.size(); ++i) runs.insert(secret.substr(i, length));
  std::vector<bool> common(text.size(), false);
  for (std::size_t i = 0; i + length <= text.size(); ++i)
    if (runs.count(text.substr(i, length)) != 0)
      std::fill_n(common.begin() + static_cast<std::ptrdiff_t>(i), length, true);
  std::string out;
  bool hidden = false;
  for (std::size_t i = 0, end = 0; i < text.size(); i = end) {
    end = i + 1;
    while (end < text.size() && continues_character(text[end])) ++end;
    const auto at = [&common](std::size_t j) { return common.begin() + static_cast<std::ptrdiff_t>(j); };
    const bool was_hidden = hidden;
    hidden = std::find(at(i), at(end), true) != at(end);
    if (!hidden)
      out += text.substr(i, end - i);
    else if (!was_hidden)
      out += "...";
  }
  return out;
}

std::string without_last_read(std::string text) {
  const std::size_t at = text.find("; last read: ");
  if (at == std::string::npos) return text;
  const std::size_t expected = text.rfind("; expected ");
  return text.erase(at, expected == std::string::npos || expected < at ? expected : expected - at);
}

}  // namespace tsunagi::config::detail
