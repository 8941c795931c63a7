// SPDX-License-Identifier: Apache-2.0
#include "config/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "units/parse.hpp"

namespace tsunagi::config {
namespace {

template <class T, class Base>
std::optional<Quantity> read_as(Quantity::Kind kind, const std::string& text, T (*parse)(std::string_view), Base base) {
  try {
    return Quantity{kind, base(parse(text))};
  } catch (const UnitError&) {
    return std::nullopt;
  }
}

std::optional<Quantity> read_percentage(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  const std::string unit(rest, end);
  if (error != std::errc() || !std::isfinite(value) || (unit != " %" && unit != "%")) return std::nullopt;
  return Quantity{Quantity::Kind::percent, value};
}

std::optional<Quantity> read_quantity(const std::string& text) {
  if (text == "infinite") return std::nullopt;
  if (auto q = read_as(Quantity::Kind::time, text, parse_time, [](Time t) { return static_cast<double>(t.fs()); }))
    return q;
  if (auto q = read_as(Quantity::Kind::size, text, parse_bytes, [](Bytes b) { return static_cast<double>(b.count()); }))
    return q;
  if (auto q = read_as(Quantity::Kind::rate, text, parse_rate, [](Rate r) { return r.bytes_per_second(); })) return q;
  if (auto q = read_as(Quantity::Kind::frequency, text, parse_frequency,
                       [](Frequency f) { return static_cast<double>(f.hz()); }))
    return q;
  if (auto q =
          read_as(Quantity::Kind::length, text, parse_length, [](Length l) { return static_cast<double>(l.um()); }))
    return q;
  return read_percentage(text);
}

}  // namespace

const char* name_of(Quantity::Kind kind) {
  switch (kind) {
    case Quantity::Kind::number:
      return "a bare number";
    case Quantity::Kind::percent:
      return "a percentage";
    case Quantity::Kind::time:
      return "a time";
    case Quantity::Kind::size:
      return "a size";
    case Quantity::Kind::rate:
      return "a rate";
    case Quantity::Kind::frequency:
      return "a frequency";
    case Quantity::Kind::length:
      return "a length";
  }
  return "a quantity";
}

double tidy(const Quantity& q) {
  const bool decimal = q.kind == Quantity::Kind::number || q.kind == Quantity::Kind::percent;
  return decimal ? std::strtod(fmt::format("{:.15g}", q.value).c_str(), nullptr) : std::nearbyint(q.value);
}

std::optional<Quantity> quantity_of(const std::string& json) {
  const auto value = nlohmann::json::parse(json, nullptr, false);
  if (value.is_number()) return Quantity{Quantity::Kind::number, value.get<double>()};
  return value.is_string() ? read_quantity(value.get<std::string>()) : std::nullopt;
}

std::string to_json_text(const Quantity& q) {
  constexpr double exact = 9007199254740992.0;  // 2^53
  const double value = tidy(q);
  constexpr double most = 9223372036854774784.0;  // the last double that fits 64 bits
  const auto whole = static_cast<std::int64_t>(std::clamp(value, -most, most));
  const auto quoted = [](const std::string& text) { return "\"" + text + "\""; };
  switch (q.kind) {
    case Quantity::Kind::number:
      if (std::abs(value) < exact && value == std::floor(value)) return std::to_string(whole);
      return nlohmann::json(value).dump();
    case Quantity::Kind::percent:
      return quoted(fmt::format("{:.15g} %", value));
    case Quantity::Kind::time:
      return quoted(to_string(Time::from_fs(whole)));
    case Quantity::Kind::size:
      return quoted(to_string(Bytes(whole)));
    case Quantity::Kind::rate:
      return quoted(whole > 0 ? to_string(Rate::bytes_per_second(whole)) : "0 B/s");
    case Quantity::Kind::frequency:
      return quoted(to_string(Frequency(whole)));
    case Quantity::Kind::length:
      return quoted(to_string(Length(whole)));
  }
  return "null";
}

}  // namespace tsunagi::config
