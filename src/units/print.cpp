// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "units/address.hpp"
#include "units/parse.hpp"
#include "units/unit_table.hpp"
#include "units/wide.hpp"

namespace tsunagi {

namespace {

using units::Unit;
using units::UnitTable;

/// More decimals than any finite expansion of a 64-bit quantity that is worth writing has.
constexpr int max_decimals = 24;

std::string digits(Wide n) {
  std::string text;
  do {
    text.insert(text.begin(), static_cast<char>('0' + static_cast<int>(n % 10)));
    n /= 10;
  } while (n != 0);
  return text;
}

/// top/bottom (both > 0) as an exact decimal; empty if it has no finite (or too long an) expansion.
std::string decimal(Wide top, Wide bottom) {
  std::string text = digits(top / bottom);
  Wide rest = top % bottom;
  if (rest != 0) text += '.';
  for (int i = 0; rest != 0; ++i) {
    if (i == max_decimals) return {};
    rest *= 10;
    text += static_cast<char>('0' + static_cast<int>(rest / bottom));
    rest %= bottom;
  }
  return text;
}

/// top/bottom in units of `table`: in the largest unit of which there is one, or the shortest text of all.
std::string print(Wide top, Wide bottom, const UnitTable& table, bool shortest) {
  std::string best;
  for (std::size_t i = 0; i < table.first_alias; ++i) {
    const Unit& unit = table.units[i];
    const bool last = i + 1 == table.first_alias;
    if (top < bottom * unit.size && !(last && best.empty())) continue;
    const std::string number = decimal(top, bottom * unit.size);
    if (number.empty()) continue;
    const std::string text = number + " " + std::string(unit.name);
    if (best.empty() || text.size() < best.size()) best = text;
    if (!shortest) break;
  }
  return best;
}

}  // namespace

std::string to_string(Time t) {
  if (t == Time::zero()) return "0 ns";
  const Wide fs = t.fs();
  return (fs < 0 ? "-" : "") + print(fs < 0 ? -fs : fs, 1, units::time_units(), false);
}

std::string to_string(Bytes b) {
  if (b == Bytes::zero()) return "0 B";
  const Wide n = b.count();
  return (n < 0 ? "-" : "") + print(n < 0 ? -n : n, 1, units::bytes_units(), true);
}

std::string to_string(Rate r) {
  if (r.is_infinite()) return "infinite";
  // bits a second = den * 8e15 / num
  const std::string text =
      print(static_cast<Wide>(r.den()) * 8 * units::second_in_fs, r.num(), units::rate_units(), true);
  if (!text.empty()) return text;
  return std::to_string(r.den()) + " B/" + std::to_string(r.num()) + " fs";
}

std::string to_string(Frequency f) { return print(f.hz(), 1, units::frequency_units(), false); }

std::string to_string(TransferRate r) { return print(r.per_second(), 1, units::transfer_rate_units(), false); }

std::string to_string(Length l) { return l == Length::zero() ? "0 m" : print(l.um(), 1, units::length_units(), false); }

std::string to_string(Address a) {
  std::string text;
  for (std::uint64_t n = a.value(); n != 0 || text.empty(); n /= 16)
    text.insert(text.begin(), "0123456789abcdef"[n % 16]);
  return "0x" + text;
}

}  // namespace tsunagi
