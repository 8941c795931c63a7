// SPDX-License-Identifier: Apache-2.0
#include "sweep/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "units/parse.hpp"

namespace tsunagi::sweep {
namespace {

using Kind = Quantity::Kind;

constexpr double most_values = 1e6;

template <class T, class Base>
std::optional<Quantity> read(Kind kind, const std::string& text, T (*parse)(std::string_view), Base base) {
  try {
    return Quantity{kind, base(parse(text))};
  } catch (const UnitError&) {
    return std::nullopt;
  }
}

std::optional<Quantity> read_percent(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  const std::string unit(rest, end);
  if (error != std::errc() || !std::isfinite(value) || (unit != " %" && unit != "%")) return std::nullopt;
  return Quantity{Kind::percent, value};
}

std::optional<Quantity> read_text(const std::string& text) {
  if (text == "infinite") return std::nullopt;
  if (auto q = read(Kind::time, text, parse_time, [](Time t) { return static_cast<double>(t.fs()); })) return q;
  if (auto q = read(Kind::size, text, parse_bytes, [](Bytes b) { return static_cast<double>(b.count()); })) return q;
  if (auto q = read(Kind::rate, text, parse_rate, [](Rate r) { return r.bytes_per_second(); })) return q;
  if (auto q = read(Kind::frequency, text, parse_frequency, [](Frequency f) { return static_cast<double>(f.hz()); }))
    return q;
  return read_percent(text);
}

std::string name_of(Kind kind) {
  switch (kind) {
    case Kind::number:
      return "a bare number";
    case Kind::percent:
      return "a percentage";
    case Kind::time:
      return "a time";
    case Kind::size:
      return "a size";
    case Kind::rate:
      return "a rate";
    case Kind::frequency:
      return "a frequency";
  }
  return "a quantity";
}

void same_kind(const Quantity& from, const Quantity& other, const char* name) {
  if (from.kind != other.kind)
    throw std::invalid_argument(
        fmt::format("\"from\" is {}, but \"{}\" is {}", name_of(from.kind), name, name_of(other.kind)));
}

/// Without what binary fractions add: 0.1 + 2 * 0.1 is 0.3.
double tidy(const Quantity& q) {
  const bool decimal = q.kind == Kind::number || q.kind == Kind::percent;
  return decimal ? std::strtod(fmt::format("{:.15g}", q.value).c_str(), nullptr) : std::nearbyint(q.value);
}

std::vector<Quantity> series(const Quantity& from, double step, double count) {
  if (count > most_values) throw std::invalid_argument("gives more than a million values");
  std::vector<Quantity> out;
  for (double i = 0; i < count; ++i) {
    out.push_back({from.kind, from.value + i * step});
    out.back().value = tidy(out.back());
  }
  return out;
}

}  // namespace

std::optional<Quantity> quantity_of(const std::string& json) {
  const auto value = nlohmann::json::parse(json, nullptr, false);
  if (value.is_number()) return Quantity{Kind::number, value.get<double>()};
  return value.is_string() ? read_text(value.get<std::string>()) : std::nullopt;
}

std::string to_json_text(const Quantity& q) {
  constexpr double exact = 9007199254740992.0;  // 2^53
  const double value = tidy(q);
  constexpr double most = 9223372036854774784.0;  // the last double that fits 64 bits
  const auto whole = static_cast<std::int64_t>(std::clamp(value, -most, most));
  const auto quoted = [](const std::string& text) { return "\"" + text + "\""; };
  switch (q.kind) {
    case Kind::number:
      if (std::abs(value) < exact && value == std::floor(value)) return std::to_string(whole);
      return nlohmann::json(value).dump();
    case Kind::percent:
      return quoted(fmt::format("{:.15g} %", value));
    case Kind::time:
      return quoted(to_string(Time::from_fs(whole)));
    case Kind::size:
      return quoted(to_string(Bytes(whole)));
    case Kind::rate:
      return quoted(whole > 0 ? to_string(Rate::bytes_per_second(whole)) : "0 B/s");
    case Kind::frequency:
      return quoted(to_string(Frequency(whole)));
  }
  return "null";
}

double in_expressions(const Quantity& q) { return q.kind == Kind::time ? q.value / 1e6 : q.value; }

std::vector<Quantity> stepped(const Quantity& from, const Quantity& to, const Quantity& step) {
  same_kind(from, to, "to");
  same_kind(from, step, "step");
  if (!(step.value > 0)) throw std::invalid_argument("\"step\" must be above 0");
  const double length = to.value - from.value;
  const double steps = std::floor(std::abs(length) / step.value * (1 + 1e-12));
  return series(from, std::copysign(step.value, length), steps + 1);
}

std::vector<Quantity> counted(const Quantity& from, const Quantity& to, std::int64_t count) {
  same_kind(from, to, "to");
  if (count < 2) throw std::invalid_argument("\"count\" must be at least 2");
  const auto n = static_cast<double>(count);
  return series(from, (to.value - from.value) / (n - 1), n);
}

std::vector<Quantity> doubled(const Quantity& from, const Quantity& to) {
  same_kind(from, to, "to");
  if (!(from.value > 0)) throw std::invalid_argument("\"from\" must be above 0");
  if (from.value > to.value) throw std::invalid_argument("\"from\" must not be above \"to\"");
  std::vector<Quantity> out;
  for (double value = from.value; value <= to.value; value *= 2) out.push_back({from.kind, value});
  return out;
}

}  // namespace tsunagi::sweep
