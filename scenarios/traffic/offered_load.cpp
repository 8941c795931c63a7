// SPDX-License-Identifier: Apache-2.0
#include "scenarios/traffic/offered_load.hpp"

#include <boost/multiprecision/cpp_int.hpp>
#include <stdexcept>

#include "units/parse.hpp"

namespace tsunagi::scenarios {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// "12.5" in ten-thousandths; -1: not such a number.
std::int64_t ten_thousandths(std::string_view text) {
  std::int64_t value = 0;
  int decimals = -1;
  bool any = false;
  for (const char c : text) {
    if (c == '.' && decimals < 0 && any) {
      decimals = 0;
      continue;
    }
    if (!is_digit(c) || value > 10'000'000'000 || decimals == 4) return -1;
    value = 10 * value + (c - '0');
    any = true;
    if (decimals >= 0) ++decimals;
  }
  if (!any || decimals == 0) return -1;
  for (int i = decimals < 0 ? 0 : decimals; i < 4; ++i) value *= 10;
  return value;
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

OfferedLoad parse_load(std::string_view text) {
  OfferedLoad load;
  if (text.size() > 2 && text.substr(text.size() - 2) == " %") {
    load.share = ten_thousandths(text.substr(0, text.size() - 2));
    if (load.share >= 1 && load.share <= OfferedLoad::most) return load;
  } else {
    try {
      load.rate = parse_rate(text);
      if (!load.rate.is_infinite()) return load;
    } catch (const UnitError&) {
    }
  }
  throw std::invalid_argument("\"" + std::string(text) + "\" is no load; write for example \"30 %\" or \"2 GB/s\"");
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
