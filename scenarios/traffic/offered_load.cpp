// SPDX-License-Identifier: Apache-2.0
#include "scenarios/traffic/offered_load.hpp"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <stdexcept>

#include "units/parse.hpp"

namespace tsunagi::scenarios {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// "12.5" in ten-thousandths, rounded to the nearest; -1: not such a number.
std::int64_t ten_thousandths(std::string_view text) {
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(0, point);
  const std::string_view decimals = text.substr(std::min(point + 1, text.size()));
  const auto all_digits = [](std::string_view digits) {
    return !digits.empty() && std::all_of(digits.begin(), digits.end(), is_digit);
  };
  if (!all_digits(whole) || (point < text.size() && !all_digits(decimals))) return -1;
  std::int64_t value = 0;
  for (const char c : std::string(whole) + std::string(decimals.substr(0, 4)) +
                          std::string(4 - std::min<std::size_t>(decimals.size(), 4), '0')) {
    if (value > 10 * OfferedLoad::most) return -1;
    value = 10 * value + (c - '0');
  }
  return value + (decimals.size() > 4 && decimals[4] >= '5' ? 1 : 0);
}

}  // namespace

std::int64_t OfferedLoad::of(Rate full) const {
  if (share != 0) return share;
  // rate / full = (full.num / full.den) / (rate.num / rate.den); three factors of 63 bits
  using Exact = boost::multiprecision::int256_t;
  const Exact above = Exact(full.num()) * rate.den() * 1'000'000;
  const Exact below = Exact(full.den()) * rate.num();
  const Exact load = (above + below / 2) / below;
  return load > most ? most + 1 : static_cast<std::int64_t>(load);
}

OfferedLoad parse_load(std::string_view written) {
  OfferedLoad load;
  std::string_view text = written;
  if (!text.empty() && text.back() == '%') {
    text.remove_suffix(1);
    if (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    load.share = ten_thousandths(text);
    if (load.share >= 1 && load.share <= OfferedLoad::most) return load;
  } else {
    try {
      load.rate = parse_rate(text);
      if (!load.rate.is_infinite()) return load;
    } catch (const UnitError&) {
    }
  }
  throw std::invalid_argument("\"" + std::string(written) +
                              "\" is no load; write for example \"30 %\", of 0.0001 % to 100000 %, or \"2 GB/s\"");
}

std::string load_error(const std::string& text) {
  try {
    parse_load(text);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return {};
}

}  // namespace tsunagi::scenarios
