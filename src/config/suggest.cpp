// SPDX-License-Identifier: Apache-2.0
#include "config/suggest.hpp"

#include <algorithm>
#include <cctype>

#include "config/message.hpp"

namespace tsunagi::config::detail {

namespace {

bool same(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = same(a[i - 1], b[j - 1]) ? 0 : 1;
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1])) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const std::string* best = nullptr;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const std::size_t longer = std::max(word.size(), candidate.size()) - std::min(word.size(), candidate.size());
    if (longer >= least) continue;  // it is that far away at least
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < least && distance < candidate.size()) {
      least = distance;
      best = &candidate;
    }
  }
  return best == nullptr ? "" : "; did you mean " + in_quotes(*best) + "?";
}

std::string unknown(std::string_view what, std::string_view word, const std::vector<std::string>& known) {
  const std::string hint = did_you_mean(word, known);
  return "unknown " + std::string(what) + " " + in_quotes(word) + (hint.empty() ? ";" : hint) + " known " +
         std::string(what) + (!what.empty() && what.back() == 's' ? "es: " : "s: ") + listed(known);
}

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text.empty() ? "none" : text;
}

}  // namespace tsunagi::config::detail
