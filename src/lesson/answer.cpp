// SPDX-License-Identifier: Apache-2.0
#include "lesson/answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "config/quantity.hpp"

namespace tsunagi::lesson {
namespace {

/// A mistake that can be made with any answer: it is so many times the right one.
struct Slip {
  double factor;
  const char* hint;
  bool of_bytes = false;   // made only where bytes, or so many a second, are asked for
  bool of_shares = false;  // made only where percent are asked for
};

constexpr const char* bits = "That is a factor of 8: is it bits, or bytes?";
constexpr const char* prefix =
    "The digits are right, the unit's prefix is not: k is a thousand, M a million, G a thousand million. A bare number "
    "is in the question's unit.";
constexpr const char* share = "The digits are right, but the question asks for percent: 0.5 is 50 %.";
constexpr const char* both_ways = "That is a factor of 2: is it one way, or there and back? One direction, or both?";
constexpr const char* binary =
    "That is the factor between decimal and binary units: 1 MB is 1,000,000 B, 1 MiB is 1,048,576 B.";

constexpr std::array slips{Slip{0.01, share, false, true},
                           Slip{8, bits},
                           Slip{1.0 / 8, bits},
                           Slip{1e3, prefix},
                           Slip{1e-3, prefix},
                           Slip{1e6, prefix},
                           Slip{1e-6, prefix},
                           Slip{1e9, prefix},
                           Slip{1e-9, prefix},
                           Slip{2, both_ways},
                           Slip{0.5, both_ways},
                           Slip{1.073741824, binary, true},
                           Slip{1.048576, binary, true},
                           Slip{1.024, binary, true},
                           Slip{1 / 1.073741824, binary, true},
                           Slip{1 / 1.048576, binary, true},
                           Slip{1 / 1.024, binary, true}};

bool is_of_bytes(const std::string& unit) {
  using Kind = config::Quantity::Kind;
  const auto one = config::quantity_of("\"1 " + unit + "\"");
  return one && (one->kind == Kind::size || one->kind == Kind::rate);
}

/// Near enough to tell one mistake from another.
bool is_near(double a, double b) { return std::abs(a - b) <= 0.01 * std::abs(b); }

}  // namespace

double answer_in(const std::string& text, const std::string& unit) {
  using Kind = config::Quantity::Kind;
  const bool bare = text.find_first_not_of("0123456789.eE+-") == std::string::npos;
  const auto given = config::quantity_of(bare ? text : "\"" + text + "\"");
  const auto one = unit.empty() ? config::Quantity{Kind::number, 1} : *config::quantity_of("\"1 " + unit + "\"");
  const std::string wanted =
      unit.empty() ? "a bare number" : fmt::format("{}, such as \"1.5 {}\"", name_of(one.kind), unit);
  if (!given)
    throw std::invalid_argument(
        fmt::format("\"{}\" is no answer: the question asks for {}{}", text, wanted,
                    text.find(',') == std::string::npos ? "" : "; decimals begin with a point"));
  if (given->kind == Kind::number) return given->value;
  if (given->kind != one.kind)
    throw std::invalid_argument(
        fmt::format("\"{}\" is {}: the question asks for {}", text, name_of(given->kind), wanted));
  return given->value / one.value;
}

bool is_right(const Question& question, const Asked& asked, double answer) {
  return std::abs(answer - asked.expected) <= question.within * std::abs(asked.expected);
}

std::string hint_for(const Question& question, const Asked& asked, double answer) {
  const auto off = [answer](double mistake) { return std::abs(answer - mistake); };
  const auto nearest = std::min_element(asked.mistakes.begin(), asked.mistakes.end(),
                                        [&](double a, double b) { return off(a) < off(b); });
  if (nearest != asked.mistakes.end() && is_near(answer, *nearest))
    return question.mistakes[static_cast<std::size_t>(nearest - asked.mistakes.begin())].hint;
  if (!is_right(question, asked, answer))
    for (const Slip& slip : slips)
      if ((!slip.of_bytes || is_of_bytes(question.unit)) && (!slip.of_shares || question.unit == "%") &&
          is_near(answer, asked.expected * slip.factor))
        return slip.hint;
  return question.hint;
}

}  // namespace tsunagi::lesson
