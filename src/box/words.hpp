// SPDX-License-Identifier: Apache-2.0
// Words of what tools print and of names of devices.
#pragma once

#include <cctype>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tsunagi::box {

/// Words between blanks, tabs and ends of lines.
std::vector<std::string_view> words_of(std::string_view line);

inline bool says(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// The finite number that a word is; nothing: it is none.
std::optional<double> number_of(std::string_view word);

/// "HDR" of "hdr".
std::string upper(std::string word);

/// A text with another word for each of its words, which may have dots as names of devices and ports have:
/// `word_for(std::string)`.
template <class WordFor>
std::string with_words(const std::string& text, const WordFor& word_for) {
  const auto is_in_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
  };
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_in_word(text[end])) ++end;
    out += word_for(text.substr(at, end - at));
    if (end < text.size()) out += text[end++];
    at = end;
  }
  return out;
}

}  // namespace tsunagi::box
