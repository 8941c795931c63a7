// SPDX-License-Identifier: Apache-2.0
#include "box/words.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tsunagi::box {

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view between = " \t\r";
  std::vector<std::string_view> out;
  for (std::size_t at = line.find_first_not_of(between); at < line.size();) {
    const std::size_t end = std::min(line.find_first_of(between, at), line.size());
    out.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(between, end);
  }
  return out;
}

std::optional<double> number_of(std::string_view word) {
  double out = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), out);
  if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(out)) return std::nullopt;
  return out;
}

std::string upper(std::string word) {
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::toupper(c); });
  return word;
}

}  // namespace tsunagi::box
