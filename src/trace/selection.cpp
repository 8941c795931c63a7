// SPDX-License-Identifier: Apache-2.0
#include "trace/selection.hpp"

#include <algorithm>
#include <stdexcept>

#include "units/parse.hpp"

namespace tsunagi::trace {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

/// Linear but for the last star, which is tried at every later character.
bool matches(std::string_view pattern, std::string_view name) {
  std::size_t p = 0;
  std::size_t star = std::string_view::npos;
  std::size_t after_star = 0;
  for (std::size_t n = 0; n < name.size();) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      after_star = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++after_star;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace

Selection::Selection(std::string_view patterns, Time from, Time to) : from_(from), to_(to) {
  if (to < from) throw std::invalid_argument("a window from " + to_string(from) + " to " + to_string(to) + " is empty");
  while (!patterns.empty()) {
    const std::size_t comma = std::min(patterns.find(','), patterns.size());
    const std::string_view pattern = trimmed(patterns.substr(0, comma));
    if (!pattern.empty()) patterns_.emplace_back(pattern);
    patterns.remove_prefix(std::min(comma + 1, patterns.size()));
  }
}

bool Selection::place(std::string_view name) const {
  return patterns_.empty() || std::any_of(patterns_.begin(), patterns_.end(),
                                          [&](const std::string& pattern) { return matches(pattern, name); });
}

}  // namespace tsunagi::trace
