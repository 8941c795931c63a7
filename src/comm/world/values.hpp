// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace tsunagi::comm {

/// The values that a ledger tells apart: one that somebody has named, or two combined, in that order. A combined one is
/// its two operands' numbers, so that a sum of a thousand ranks costs as much as one of two; its text is made when
/// somebody asks. Equal values have one number. Pure.
class Values {
 public:
  using Number = std::uint32_t;
  static constexpr Number nothing = 0;  // nobody knows

  Values() : all_(1), names_{"nothing known"} {}
  /// The value of that name ("3" of rank 3), made when it is first named.
  Number named(const std::string& name);
  /// What `left` and `right` give. Neither is `nothing`.
  Number combined(Number left, Number right);
  /// "3", "(0+1)"; of more than `most_shown` terms only how many they are.
  std::string text(Number n) const;
  static constexpr std::uint32_t most_shown = 100'000;
  /// Whether it is the value of that text.
  bool is(Number n, const std::string& text) const;
  /// Whether it is "0", "1", ... `ranks` - 1 combined, each once and nothing else, in whatever order. Looks at the
  /// terms of a value once.
  bool everybody_once(Number n, int ranks) const;

 private:
  enum class Each : std::uint8_t { unknown, once, not_once };
  struct Value {
    Number left = 0;                    // of a named one its place in `names_`
    Number right = 0;                   // `nothing`: it is a named one
    std::uint32_t terms = 1;            // no more than the largest number
    mutable Each each = Each::unknown;  // of "0", "1", ... `terms` - 1 is there
  };
  const Value& at(Number n) const { return all_[n]; }
  template <class F>
  void for_each_term(Number n, F&& f) const;
  bool look_for_each(Number n) const;

  std::vector<Value> all_;  // by number
  std::vector<std::string> names_;
  std::unordered_map<std::string, Number> named_;
  std::unordered_map<std::uint64_t, Number> combined_;  // by both numbers
};

}  // namespace tsunagi::comm
