// SPDX-License-Identifier: Apache-2.0
#include "comm/world/values.hpp"

#include <limits>

namespace tsunagi::comm {

namespace {

/// The rank that a name like "17" is of; -1: no rank's.
std::int64_t rank_of(const std::string& name) {
  constexpr std::size_t most_digits = 9;
  if (name.empty() || name.size() > most_digits || (name[0] == '0' && name.size() > 1)) return -1;
  std::int64_t out = 0;
  for (const char c : name) {
    if (c < '0' || c > '9') return -1;
    out = out * 10 + (c - '0');
  }
  return out;
}

}  // namespace

Values::Number Values::named(const std::string& name) {
  const auto [it, fresh] = named_.try_emplace(name, static_cast<Number>(all_.size()));
  if (fresh) {
    all_.push_back({static_cast<Number>(names_.size()), nothing});
    names_.push_back(name);
  }
  return it->second;
}

Values::Number Values::combined(Number left, Number right) {
  const std::uint64_t both = std::uint64_t{left} << 32 | right;
  const auto [it, fresh] = combined_.try_emplace(both, static_cast<Number>(all_.size()));
  if (fresh) {
    constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
    const std::uint32_t l = at(left).terms;
    const std::uint32_t r = at(right).terms;
    all_.push_back({left, right, l > most - r ? most : l + r});
  }
  return it->second;
}

/// Calls `f(name)` for the terms, from left to right, as long as it returns true.
template <class F>
void Values::for_each_term(Number n, F&& f) const {
  std::vector<Number> rest{n};  // not by recursion: programs have small stacks, and sums are as deep as ranks are many
  while (!rest.empty()) {
    const Value& v = at(rest.back());
    rest.pop_back();
    if (v.right == nothing) {
      if (!f(names_[v.left])) return;
    } else {
      rest.push_back(v.right);
      rest.push_back(v.left);
    }
  }
}

std::string Values::text(Number n) const {
  if (at(n).terms > most_shown) return "(a combination of " + std::to_string(at(n).terms) + " terms)";
  std::string out;
  constexpr Number plus = std::numeric_limits<Number>::max();
  constexpr Number close = plus - 1;
  std::vector<Number> rest{n};
  while (!rest.empty()) {
    const Number next = rest.back();
    rest.pop_back();
    if (next == plus || next == close) {
      out += next == plus ? '+' : ')';
    } else if (const Value& v = at(next); v.right == nothing) {
      out += names_[v.left];
    } else {
      out += '(';
      for (const Number part : {close, v.right, plus, v.left}) rest.push_back(part);
    }
  }
  return out;
}

bool Values::is(Number n, const std::string& text) const {
  const Value& v = at(n);
  if (v.right == nothing) return names_[v.left] == text;
  return v.terms < text.size() && this->text(n) == text;
}

bool Values::everybody_once(Number n, int ranks) const {
  const Value& v = at(n);
  if (v.terms != static_cast<std::uint32_t>(ranks)) return false;
  if (v.each == Each::unknown) v.each = look_for_each(n) ? Each::once : Each::not_once;
  return v.each == Each::once;
}

bool Values::look_for_each(Number n) const {
  std::vector<bool> seen(at(n).terms);
  bool all = true;
  for_each_term(n, [&](const std::string& name) {
    const std::int64_t rank = rank_of(name);
    all = rank >= 0 && rank < static_cast<std::int64_t>(seen.size()) && !seen[static_cast<std::size_t>(rank)];
    if (all) seen[static_cast<std::size_t>(rank)] = true;
    return all;
  });
  return all;  // as many terms as ranks, none of them twice
}

}  // namespace tsunagi::comm
