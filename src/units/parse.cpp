// SPDX-License-Identifier: Apache-2.0
#include "units/parse.hpp"

#include <algorithm>
#include <limits>

#include "units/unit_table.hpp"
#include "units/wide.hpp"

namespace tsunagi {

namespace {

using units::Unit;
using units::UnitTable;

constexpr Wide largest = std::numeric_limits<std::int64_t>::max();
/// Digits a number may have; with the largest unit behind it, it still fits 128 bits.
constexpr std::size_t max_digits = 22;

/// A number times its unit, as the fraction top/bottom of base units.
struct Fraction {
  Wide top;
  Wide bottom;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string quote(std::string_view text) { return "\"" + std::string(text) + "\""; }

[[noreturn]] void fail_form(std::string_view text, const UnitTable& table) {
  throw UnitError(quote(text) + " is not a " + std::string(table.quantity) +
                  "; write a number and a unit, for example " + quote(table.example));
}

std::string names(const UnitTable& table) {
  std::string all;
  for (const Unit& unit : table.units) all += (all.empty() ? "" : ", ") + std::string(unit.name);
  return all;
}

const Unit& find_unit(std::string_view name, std::string_view text, const UnitTable& table) {
  for (const Unit& unit : table.units) {
    if (unit.name == name) return unit;
  }
  throw UnitError("unknown unit " + quote(name) + " in " + quote(text) + "; a " + std::string(table.quantity) +
                  " takes one of: " + names(table));
}

/// Length of "digits" or "digits.digits" at the start of `text`; 0 if there is none.
std::size_t number_length(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size() && is_digit(text[n])) ++n;
  if (n == 0 || n + 1 >= text.size() || text[n] != '.' || !is_digit(text[n + 1])) return n;
  ++n;
  while (n < text.size() && is_digit(text[n])) ++n;
  return n;
}

/// Length of "e9", "E+9" or "e-9" at the start of `text`; 0 if there is none.
std::size_t exponent_length(std::string_view text) {
  if (text.empty() || (text[0] != 'e' && text[0] != 'E')) return 0;
  std::size_t n = text.size() > 1 && (text[1] == '+' || text[1] == '-') ? 2 : 1;
  const std::size_t sign = n;
  while (n < text.size() && is_digit(text[n])) ++n;
  return n == sign ? 0 : n;
}

/// "2.5" and "e3" as "2500": with its point moved.
std::string shifted(std::string_view number, std::string_view exponent, std::string_view text) {
  constexpr std::size_t most_zeros = 2 * max_digits;  // beyond that it has too many digits, whatever they are
  const bool down = exponent[1] == '-';
  exponent.remove_prefix(down || exponent[1] == '+' ? 2 : 1);
  std::size_t by = 0;
  for (const char c : exponent) by = std::min(most_zeros + 1, by * 10 + static_cast<std::size_t>(c - '0'));
  std::string digits(number);
  std::size_t point = std::min(digits.find('.'), digits.size());
  digits.erase(point, 1);
  if (digits.find_first_not_of('0') == std::string::npos) return "0";
  if (by > most_zeros) throw UnitError(quote(text) + " has too many digits");
  if (down && by >= point) digits.insert(0, by - point + 1, '0');
  point = down ? std::max(point, by + 1) - by : point + by;
  if (point >= digits.size()) return digits.append(point - digits.size(), '0');
  return digits.insert(point, 1, '.');
}

Fraction parse_number(std::string_view number, std::string_view text) {
  const std::size_t point = number.find('.');
  if (point != std::string_view::npos) {
    while (number.back() == '0') number.remove_suffix(1);
  }
  while (number.size() > 1 && number.front() == '0') number.remove_prefix(1);
  if (number.size() > max_digits) throw UnitError(quote(text) + " has too many digits");
  Fraction value{0, 1};
  bool behind_point = false;
  for (const char c : number) {
    if (c == '.') {
      behind_point = true;
      continue;
    }
    value.top = value.top * 10 + (c - '0');
    if (behind_point) value.bottom *= 10;
  }
  return value;
}

Fraction parse_quantity(std::string_view text, const UnitTable& table) {
  if (!text.empty() && text.front() == '-') {
    throw UnitError(quote(text) + " is negative; a " + std::string(table.quantity) + " is not");
  }
  const std::size_t length = number_length(text);
  if (length == 0) fail_form(text, table);
  const std::string_view exponent = text.substr(length, exponent_length(text.substr(length)));
  std::string_view rest = text.substr(length + exponent.size());
  if (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  if (rest.empty()) throw UnitError(quote(text) + " needs a unit, for example " + quote(table.example));
  const char next = rest.front();
  if (!((next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z') || (next & 0x80) != 0)) fail_form(text, table);
  const std::string number =
      exponent.empty() ? std::string(text.substr(0, length)) : shifted(text.substr(0, length), exponent, text);
  Fraction value = parse_number(number, text);
  const Unit& unit = find_unit(rest, text, table);
  value.top *= unit.size;
  return value;
}

std::int64_t whole(Fraction value, std::string_view text, const UnitTable& table) {
  if (value.top % value.bottom != 0) {
    throw UnitError(quote(text) + " is not a whole multiple of " + std::string(table.finest));
  }
  if (value.top / value.bottom > largest) throw UnitError(quote(text) + " is too large");
  return static_cast<std::int64_t>(value.top / value.bottom);
}

Wide gcd(Wide a, Wide b) {
  while (b != 0) {
    const Wide rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/// Reads digits from the front of `text`; -1 if there are none or too many.
std::int64_t take_integer(std::string_view& text) {
  std::size_t n = 0;
  Wide value = 0;
  for (; n < text.size() && is_digit(text[n]); ++n) {
    value = value * 10 + (text[n] - '0');
    if (value > largest) return -1;
  }
  text.remove_prefix(n);
  return n == 0 ? -1 : static_cast<std::int64_t>(value);
}

bool take(std::string_view& text, std::string_view word) {
  if (text.substr(0, word.size()) != word) return false;
  text.remove_prefix(word.size());
  return true;
}

/// "8 B/1015625 fs"; an infinite rate if `text` is no such ratio.
Rate parse_ratio(std::string_view text) {
  const std::int64_t bytes = take_integer(text);
  if (bytes <= 0 || !take(text, " B/")) return Rate::infinite();
  const std::int64_t fs = take_integer(text);
  if (fs <= 0 || text != " fs") return Rate::infinite();
  return Rate::bytes_in(bytes, fs);
}

}  // namespace

Time parse_time(std::string_view text) {
  const UnitTable& table = units::time_units();
  return Time::from_fs(whole(parse_quantity(text, table), text, table));
}

Bytes parse_bytes(std::string_view text) {
  const UnitTable& table = units::bytes_units();
  return Bytes(whole(parse_quantity(text, table), text, table));
}

Rate parse_rate(std::string_view text) {
  if (text == "infinite") return Rate::infinite();
  if (const Rate ratio = parse_ratio(text); !ratio.is_infinite()) return ratio;
  const Fraction bits = parse_quantity(text, units::rate_units());
  if (bits.top == 0) throw UnitError(quote(text) + " is no rate; a rate is more than 0");
  Wide bytes = bits.top;
  Wide seconds = bits.bottom * 8;
  const Wide common = gcd(bytes, seconds);
  bytes /= common;
  seconds /= common;
  const Wide time_common = gcd(bytes, units::second_in_fs);
  bytes /= time_common;
  const Wide fs_a_unit = units::second_in_fs / time_common;
  if (bytes > largest || seconds > largest / fs_a_unit) {
    throw UnitError(quote(text) + " is beyond what a rate can hold exactly");
  }
  return Rate::bytes_in(static_cast<std::int64_t>(bytes), static_cast<std::int64_t>(seconds * fs_a_unit));
}

Frequency parse_frequency(std::string_view text) {
  const UnitTable& table = units::frequency_units();
  const std::int64_t hz = whole(parse_quantity(text, table), text, table);
  if (hz == 0) throw UnitError(quote(text) + " is no frequency; a frequency is more than 0");
  return Frequency(hz);
}

TransferRate parse_transfer_rate(std::string_view text) {
  const UnitTable& table = units::transfer_rate_units();
  const std::int64_t transfers = whole(parse_quantity(text, table), text, table);
  if (transfers == 0) throw UnitError(quote(text) + " transfers nothing; a rate of transfers is more than 0");
  return TransferRate(transfers);
}

Length parse_length(std::string_view text) {
  const UnitTable& table = units::length_units();
  return Length(whole(parse_quantity(text, table), text, table));
}

}  // namespace tsunagi
