// SPDX-License-Identifier: Apache-2.0
#include "config/fields/scalars.hpp"

#include <cmath>
#include <limits>

#include "config/text/printable.hpp"
#include "units/parse.hpp"
#include "units/wide.hpp"

namespace tsunagi::config::detail {

using nlohmann::ordered_json;

namespace {

ordered_json text_schema(const std::string& pattern) { return {{"type", "string"}, {"pattern", pattern}}; }

template <class T>
ordered_json number_schema(const FieldSpec& s, const char* type) {
  ordered_json out{{"type", type}};
  if (s.low) out["minimum"] = write(made_from_base<T>(*s.low));
  if (s.high) out["maximum"] = write(made_from_base<T>(*s.high));
  if (!s.one_of.empty()) out["enum"] = s.one_of;
  return out;
}

std::string wrong_type(std::string_view wanted, const Value& from) {
  std::string text = "must be " + std::string(wanted) + ", not " + std::string(type_name(from));
  if (from.is_string()) text += " (" + in_quotes(from.text) + ")";
  return text;
}

constexpr Length longest = 1'000'000_km;  // of which the time fits

/// As 1e6 is.
bool is_whole_with_exponent(const Value& from) {
  constexpr double exact = 9007199254740992.0;  // 2^53
  return from.type == Value::Type::number && from.text.find_first_of("eE") != std::string::npos &&
         std::abs(from.number) <= exact && from.number == std::floor(from.number);
}

template <class T>
std::string quantity(const Value& from, T& to, T (*parse)(std::string_view), const char* what, const char* example) {
  if (from.type == Value::Type::integer || from.type == Value::Type::number) {
    return "needs a unit, for example " + in_quotes(example);
  }
  if (!from.is_string()) {
    return "must be " + std::string(what) + " such as " + in_quotes(example) + ", not " + std::string(type_name(from));
  }
  try {
    to = parse(from.text);
  } catch (const UnitError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

std::string convert(const Value& from, bool& to) {
  if (from.type != Value::Type::boolean) return wrong_type("true or false", from);
  to = from.boolean;
  return {};
}

std::string convert(const Value& from, std::int64_t& to) {
  if (is_whole_with_exponent(from)) {
    to = static_cast<std::int64_t>(from.number);
    return {};
  }
  if (from.type == Value::Type::number) return "must be a whole number of 64 bits, not " + from.text;
  if (from.type != Value::Type::integer) return wrong_type("a whole number", from);
  to = from.integer;
  return {};
}

std::string convert(const Value& from, double& to) {
  if (from.type != Value::Type::integer && from.type != Value::Type::number) return wrong_type("a number", from);
  to = from.number;
  return {};
}

std::string convert(const Value& from, std::string& to) {
  if (!from.is_string()) return "must be a string, not " + std::string(type_name(from));
  if (const std::string_view odd = unprintable(from.text); !odd.empty())
    return in_quotes(from.text) + " holds " + std::string(odd);
  to = from.text;
  return {};
}

std::string convert(const Value& from, Time& to) { return quantity(from, to, parse_time, "a time", "120 ns"); }
std::string convert(const Value& from, Bytes& to) { return quantity(from, to, parse_bytes, "a size", "256 B"); }
std::string convert(const Value& from, Rate& to) { return quantity(from, to, parse_rate, "a rate", "3.5 GB/s"); }
std::string convert(const Value& from, Frequency& to) {
  return quantity(from, to, parse_frequency, "a frequency", "250 MHz");
}
std::string convert(const Value& from, TransferRate& to) {
  return quantity(from, to, parse_transfer_rate, "a rate of transfers", "5 GT/s");
}
std::string convert(const Value& from, Length& to) { return quantity(from, to, parse_length, "a length", "3 m"); }

std::string convert(const FieldSpec& s, const Value& from, Time& to) {
  const std::string wrong = convert(from, to);
  if (!s.or_length || wrong.empty() || !from.is_string()) return wrong;
  Length length;
  if (!convert(from, length).empty()) return wrong + "; or the length of the cable, for example \"3 m\"";
  if (longest < length) return in_quotes(from.text) + " is longer than " + to_string(longest);
  to = signal_time(length);
  return {};
}

std::string show(bool v) { return v ? "true" : "false"; }
std::string show(std::int64_t v) { return std::to_string(v); }
std::string show(double v) { return nlohmann::json(v).dump(); }
std::string show(const std::string& v) { return v; }
std::string show(Time v) { return to_string(v); }
std::string show(Bytes v) { return to_string(v); }
std::string show(Rate v) { return to_string(v); }
std::string show(Frequency v) { return to_string(v); }
std::string show(TransferRate v) { return to_string(v); }
std::string show(Length v) { return to_string(v); }

bool less(Rate a, Rate b) {
  // a is slower when it takes more femtoseconds a byte
  return static_cast<Wide>(a.num()) * b.den() > static_cast<Wide>(b.num()) * a.den();
}

void from_base(double base, bool& to) { to = base != 0; }
void from_base(double base, std::int64_t& to) {
  constexpr double limit = 9223372036854775808.0;  // 2^63
  if (base >= limit) {
    to = std::numeric_limits<std::int64_t>::max();
  } else if (base < -limit) {
    to = std::numeric_limits<std::int64_t>::min();
  } else {
    to = static_cast<std::int64_t>(std::nearbyint(base));
  }
}
void from_base(double base, double& to) { to = base; }
void from_base(double base, Time& to) {
  std::int64_t fs = 0;
  from_base(base, fs);
  to = Time::from_fs(fs);
}
void from_base(double base, Bytes& to) {
  std::int64_t n = 0;
  from_base(base, n);
  to = Bytes(n);
}
void from_base(double base, Rate& to) {
  std::int64_t n = 0;
  from_base(base, n);
  to = n > 0 ? Rate::bytes_per_second(n) : Rate::infinite();
}
void from_base(double base, Frequency& to) {
  std::int64_t hz = 0;
  from_base(base, hz);
  to = Frequency(hz);
}
void from_base(double base, TransferRate& to) {
  std::int64_t transfers = 0;
  from_base(base, transfers);
  to = TransferRate(transfers);
}
void from_base(double base, Length& to) {
  std::int64_t um = 0;
  from_base(base, um);
  to = Length(um);
}

ordered_json schema_of(const FieldSpec&, bool) { return {{"type", "boolean"}}; }
ordered_json schema_of(const FieldSpec& s, std::int64_t) { return number_schema<std::int64_t>(s, "integer"); }
ordered_json schema_of(const FieldSpec& s, double) { return number_schema<double>(s, "number"); }
ordered_json schema_of(const FieldSpec&, const std::string&) { return {{"type", "string"}}; }
ordered_json schema_of(const FieldSpec& s, Time) {
  return text_schema(time_pattern() + (s.or_length ? "|" + length_pattern() : ""));
}
ordered_json schema_of(const FieldSpec&, Bytes) { return text_schema(bytes_pattern()); }
ordered_json schema_of(const FieldSpec& s, Rate initial) {
  return text_schema((takes_infinite(s, initial) ? "^infinite$|" : "") + rate_pattern());
}
ordered_json schema_of(const FieldSpec&, Frequency) { return text_schema(frequency_pattern()); }
ordered_json schema_of(const FieldSpec&, TransferRate) { return text_schema(transfer_rate_pattern()); }
ordered_json schema_of(const FieldSpec&, Length) { return text_schema(length_pattern()); }

bool takes_infinite(const FieldSpec& spec, Rate initial) {
  return (spec.ideal && *spec.ideal == 0) || (!spec.required && initial.is_infinite());
}

}  // namespace tsunagi::config::detail
