// SPDX-License-Identifier: Apache-2.0
// Internal to src/config: all that the visitors need to know of each scalar type (config::Scalar).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "config/describe.hpp"
#include "config/value.hpp"

namespace tsunagi::config::detail {

/// Takes a JSON value as a T, exactly; returns what is wrong with it, or "".
std::string convert(const Value& from, bool& to);
std::string convert(const Value& from, std::int64_t& to);
std::string convert(const Value& from, double& to);
std::string convert(const Value& from, std::string& to);
std::string convert(const Value& from, Time& to);
std::string convert(const Value& from, Bytes& to);
std::string convert(const Value& from, Rate& to);
std::string convert(const Value& from, Frequency& to);
std::string convert(const Value& from, TransferRate& to);
std::string convert(const Value& from, Length& to);

/// The same of a field.
template <class T>
std::string convert(const FieldSpec&, const Value& from, T& to) {
  return convert(from, to);
}
std::string convert(const FieldSpec& s, const Value& from, Time& to);

/// As written in messages and docs: "120 ns", 8, true.
std::string show(bool v);
std::string show(std::int64_t v);
std::string show(double v);
std::string show(const std::string& v);
std::string show(Time v);
std::string show(Bytes v);
std::string show(Rate v);
std::string show(Frequency v);
std::string show(TransferRate v);
std::string show(Length v);

/// As written in a config.
inline nlohmann::ordered_json write(bool v) { return v; }
inline nlohmann::ordered_json write(std::int64_t v) { return v; }
inline nlohmann::ordered_json write(double v) { return v; }
inline nlohmann::ordered_json write(const std::string& v) { return v; }
inline nlohmann::ordered_json write(Time v) { return show(v); }
inline nlohmann::ordered_json write(Bytes v) { return show(v); }
inline nlohmann::ordered_json write(Rate v) { return show(v); }
inline nlohmann::ordered_json write(Frequency v) { return show(v); }
inline nlohmann::ordered_json write(TransferRate v) { return show(v); }
inline nlohmann::ordered_json write(Length v) { return show(v); }
template <class T>
nlohmann::ordered_json write(const std::vector<T>& values) {
  auto out = nlohmann::ordered_json::array();
  for (const T& v : values) out.push_back(write(v));
  return out;
}

/// The same of a field.
template <class T>
nlohmann::ordered_json write(const FieldSpec&, const T& v) {
  return write(v);
}
template <class T>
nlohmann::ordered_json write(const FieldSpec& s, const std::vector<T>& values) {
  return s.or_one && values.size() == 1 ? write(values.front()) : write(values);
}

inline bool less(bool a, bool b) { return !a && b; }
inline bool less(std::int64_t a, std::int64_t b) { return a < b; }
inline bool less(double a, double b) { return a < b; }
inline bool less(Time a, Time b) { return a < b; }
inline bool less(Bytes a, Bytes b) { return a < b; }
inline bool less(Frequency a, Frequency b) { return a.hz() < b.hz(); }
inline bool less(TransferRate a, TransferRate b) { return a < b; }
inline bool less(Length a, Length b) { return a < b; }
bool less(Rate a, Rate b);

/// Values of the type have bounds and an ideal.
template <class T>
constexpr bool has_order = !std::is_same_v<T, std::string> && !std::is_same_v<T, bool>;

/// A number in base units (as in FieldSpec) as a T; 0 bytes a second is the infinite rate.
void from_base(double base, bool& to);
void from_base(double base, std::int64_t& to);
void from_base(double base, double& to);
void from_base(double base, Time& to);
void from_base(double base, Bytes& to);
void from_base(double base, Rate& to);
void from_base(double base, Frequency& to);
void from_base(double base, TransferRate& to);
void from_base(double base, Length& to);
inline void from_base(double, std::string&) {}

template <class T>
T made_from_base(double base) {
  T value{};
  from_base(base, value);
  return value;
}

/// "at least 1 ns", "1 to 64", "one of 1, 2, 4", or "" if the field is not bounded.
template <class T>
std::string range_text(const FieldSpec& spec) {
  if (!spec.one_of.empty()) {
    std::string text;
    for (const std::int64_t v : spec.one_of) {
      text += (text.empty() ? "one of " : ", ") + show(made_from_base<T>(static_cast<double>(v)));
    }
    return text;
  }
  const auto bound = [](double v) { return show(made_from_base<T>(v)); };
  if (spec.low && spec.high) return bound(*spec.low) + " to " + bound(*spec.high);
  if (spec.low) return "at least " + bound(*spec.low);
  if (spec.high) return "at most " + bound(*spec.high);
  return {};
}

/// What is wrong with a value that a field's bounds do not allow, or "".
template <class T>
std::string out_of_bounds(const FieldSpec& spec, const T& value) {
  bool good = true;
  if (spec.low) good = good && !less(value, made_from_base<T>(*spec.low));
  if (spec.high) good = good && !less(made_from_base<T>(*spec.high), value);
  if (!spec.one_of.empty()) {
    bool member = false;
    for (const std::int64_t v : spec.one_of) {
      const T allowed = made_from_base<T>(static_cast<double>(v));
      member = member || (!less(value, allowed) && !less(allowed, value));
    }
    good = good && member;
  }
  return good ? std::string() : "must be " + range_text<T>(spec) + ", not " + show(value);
}
inline std::string out_of_bounds(const FieldSpec&, const std::string&) { return {}; }

/// The JSON Schema of a field of this type, without its description; `initial` is its default.
nlohmann::ordered_json schema_of(const FieldSpec& s, bool initial);
nlohmann::ordered_json schema_of(const FieldSpec& s, std::int64_t initial);
nlohmann::ordered_json schema_of(const FieldSpec& s, double initial);
nlohmann::ordered_json schema_of(const FieldSpec& s, const std::string& initial);
nlohmann::ordered_json schema_of(const FieldSpec& s, Time initial);
nlohmann::ordered_json schema_of(const FieldSpec& s, Bytes initial);
nlohmann::ordered_json schema_of(const FieldSpec& s, Rate initial);
nlohmann::ordered_json schema_of(const FieldSpec& s, Frequency initial);
nlohmann::ordered_json schema_of(const FieldSpec& s, TransferRate initial);
nlohmann::ordered_json schema_of(const FieldSpec& s, Length initial);

/// Whether a rate field takes "infinite": it is the field's ideal, or the default of an optional field.
bool takes_infinite(const FieldSpec& spec, Rate initial);

}  // namespace tsunagi::config::detail
