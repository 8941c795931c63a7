// SPDX-License-Identifier: Apache-2.0
// How a config struct tells its fields: one `describe` serves the strict reader,
// defaults, ranges, JSON Schema, --print-config, the reference docs and the list of ideals.
//
//   struct WireConfig { Time flight = 5_ns; int lanes = 8; };
//   void describe(WireConfig& c, config::Describer& d) {
//     d.field("flight", c.flight, "one-way cable delay", at_most(10_us), ideal(0_ns));
//     d.field("lanes", c.lanes, "lanes in use", one_of({1, 2, 4, 8, 16}), required);
//   }
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "units/bytes.hpp"
#include "units/clock.hpp"
#include "units/length.hpp"
#include "units/rate.hpp"
#include "units/time.hpp"
#include "units/transfer_rate.hpp"

namespace tsunagi::config {

class Describer;

/// Calls the `describe` that stands beside C (argument-dependent lookup).
template <class C>
void describe_config(C& c, Describer& d) {
  describe(c, d);
}

/// What is known of a field beside its type. Bounds are inclusive, in the field's
/// base unit (fs, bytes, bytes a second, hertz, um, or the number itself).
struct FieldSpec {
  std::string_view name;
  std::string_view doc;
  bool required = false;
  std::optional<double> low;
  std::optional<double> high;
  std::vector<std::int64_t> one_of;
  /// The value at which this field no longer limits anything (for --why-not-faster).
  std::optional<double> ideal;
  /// Fields of different parts that limit together have the same name here, and are set ideal together.
  std::string_view limit = {};
  /// The member is an int: the reader refuses what does not fit 32 bits.
  bool narrow = false;
  /// A list of one element may be written as that element.
  bool or_one = false;
  /// A time may be written as the length of the cable that a signal takes it for.
  bool or_length = false;
  /// The field, described before it, that says its value unless it is written itself. One that is written later, in a
  /// file that uses this one's or on the command line, replaces what is written here, ...
  std::string_view follows = {};
  /// ... unless this word is, which that field never says.
  std::string_view but = {};
};

/// Where a field that holds no object keeps its value: these are the types there are, `int` beside them. A visitor has
/// one function for all of them. A new type is an alternative here and its rules in config/scalars.hpp.
using Scalar =
    std::variant<bool*, std::int64_t*, double*, std::string*, Time*, Bytes*, Rate*, Frequency*, TransferRate*, Length*,
                 std::vector<std::string>*, std::vector<std::int64_t>*, std::vector<Bytes>*>;

namespace detail {
inline double base(Time t) { return static_cast<double>(t.fs()); }
inline double base(Bytes b) { return static_cast<double>(b.count()); }
inline double base(Frequency f) { return static_cast<double>(f.hz()); }
inline double base(TransferRate r) { return static_cast<double>(r.per_second()); }
inline double base(Length l) { return static_cast<double>(l.um()); }
inline double base(Rate r) { return r.bytes_per_second(); }
inline double base(double v) { return v; }
}  // namespace detail

using Option = std::function<void(FieldSpec&)>;
inline void required(FieldSpec& s) { s.required = true; }
inline void or_one(FieldSpec& s) { s.or_one = true; }
inline void or_length(FieldSpec& s) { s.or_length = true; }
/// `field` and `but` are literals.
inline auto follows(std::string_view field, std::string_view but = {}) {
  return [field, but](FieldSpec& s) {
    s.follows = field;
    s.but = but;
  };
}
template <class T>
Option at_least(T v) {
  return [b = detail::base(v)](FieldSpec& s) { s.low = b; };
}
template <class T>
Option at_most(T v) {
  return [b = detail::base(v)](FieldSpec& s) { s.high = b; };
}
template <class T>
Option within(T lo, T hi) {
  return [a = detail::base(lo), b = detail::base(hi)](FieldSpec& s) {
    s.low = a;
    s.high = b;
  };
}
template <class T>
Option ideal(T v) {
  return [b = detail::base(v)](FieldSpec& s) { s.ideal = b; };
}
/// The same of a field that limits together with others of that name (a literal).
template <class T>
Option ideal(T v, std::string_view limit) {
  return [b = detail::base(v), limit](FieldSpec& s) {
    s.ideal = b;
    s.limit = limit;
  };
}
inline Option one_of(std::initializer_list<std::int64_t> v) {
  return [values = std::vector<std::int64_t>(v)](FieldSpec& s) { s.one_of = values; };
}

/// One allowed word of an enumeration field.
struct Choice {
  std::string_view name;
  std::int64_t value;
  std::string_view doc;
};

/// A config object whose type is chosen by "kind" at run time.
class ConfigObject {
 public:
  virtual ~ConfigObject() = default;
  virtual void describe(Describer& d) = 0;
};

template <class C>
class ConfigHolder final : public ConfigObject {
 public:
  void describe(Describer& d) override { describe_config(value, d); }
  C value{};
};

/// One line of a catalog: a kind's name, what it is, and how to make its empty config.
struct Kind {
  std::string name;
  std::string doc;
  std::function<std::unique_ptr<ConfigObject>()> make;
};

/// The kinds of one family ("device", "wire", "topology", "library", "scenario").
struct KindTable {
  std::string family;
  std::vector<Kind> kinds;
  const Kind* find(std::string_view name) const;
};

/// All families that a document may choose from.
class Kinds {
 public:
  void add(KindTable table) { tables_.push_back(std::move(table)); }
  const KindTable* find(std::string_view family) const;
  const std::vector<KindTable>& tables() const { return tables_; }

 private:
  std::vector<KindTable> tables_;
};

/// A chosen kind with its config. Copies share the config; `as<C>` throws
/// std::logic_error when C is not the kind's type.
class AnyConfig {
 public:
  AnyConfig() = default;
  AnyConfig(std::string kind, std::shared_ptr<ConfigObject> object)
      : kind_(std::move(kind)), object_(std::move(object)) {}
  const std::string& kind() const { return kind_; }
  bool empty() const { return object_ == nullptr; }
  ConfigObject* object() const { return object_.get(); }
  template <class C>
  const C& as() const;

 private:
  std::string kind_;
  std::shared_ptr<ConfigObject> object_;
};

template <class C>
Kind kind(std::string name, std::string doc);

/// The visitor. A field's default is the member's value.
class Describer {
 public:
  virtual ~Describer() = default;

  template <class T, class... O>
  void field(std::string_view name, T& value, std::string_view doc, O&&... options) {
    FieldSpec spec{name, doc, false, {}, {}, {}, {}};
    (apply(spec, std::forward<O>(options)), ...);
    if constexpr (std::is_same_v<T, int>) {
      spec.narrow = true;
      std::int64_t wide = value;
      scalar(spec, &wide);
      value = static_cast<int>(wide);
    } else {
      static_assert(std::is_constructible_v<Scalar, T*>,
                    "no field has this type: config::Scalar lists those there are");
      scalar(spec, &value);
    }
  }
  /// An enumeration; words and values as in `choices`.
  template <class E, class... O>
  void choice(std::string_view name, E& value, std::vector<Choice> choices, std::string_view doc, O&&... options) {
    FieldSpec spec{name, doc, false, {}, {}, {}, {}};
    (apply(spec, std::forward<O>(options)), ...);
    std::int64_t v = static_cast<std::int64_t>(value);
    enumeration(spec, v, choices);
    value = static_cast<E>(v);
  }
  /// A nested object with its own `describe`.
  template <class T, class... O>
  void object(std::string_view name, T& value, std::string_view doc, O&&... options) {
    FieldSpec spec{name, doc, false, {}, {}, {}, {}};
    (apply(spec, std::forward<O>(options)), ...);
    nested(spec, [&value](Describer& d) { describe_config(value, d); });
  }
  /// A JSON array of objects.
  template <class T, class... O>
  void list(std::string_view name, std::vector<T>& values, std::string_view doc, O&&... options) {
    FieldSpec spec{name, doc, false, {}, {}, {}, {}};
    (apply(spec, std::forward<O>(options)), ...);
    array(
        spec, values.size(), [&values](std::size_t i, Describer& d) { describe_config(values[i], d); },
        [&values](std::size_t n) { values.assign(n, T{}); });
  }
  /// An object whose type is chosen by its "kind" among the family's kinds.
  template <class... O>
  void any(std::string_view name, AnyConfig& value, std::string_view family, std::string_view doc, O&&... options) {
    FieldSpec spec{name, doc, false, {}, {}, {}, {}};
    (apply(spec, std::forward<O>(options)), ...);
    polymorphic(spec, family, value);
  }
  /// A JSON object whose keys are names chosen by the user; order is kept.
  template <class... O>
  void any_map(std::string_view name, std::vector<std::pair<std::string, AnyConfig>>& values, std::string_view family,
               std::string_view doc, O&&... options) {
    FieldSpec spec{name, doc, false, {}, {}, {}, {}};
    (apply(spec, std::forward<O>(options)), ...);
    polymorphic_map(spec, family, values);
  }
  /// A rule over several fields: `message` is reported at the object's place when `ok` is false.
  /// Called after the fields it speaks of; ignored by visitors that do not read.
  virtual void require(bool ok, std::string_view message) = 0;
  /// The same of a field that is odd, but works: a warning.
  virtual void advise(bool /*ok*/, std::string_view /*field*/, std::string_view /*message*/) {}
  /// Sets members by those that were read so far: defaults of fields that follow. Called by what reads alone.
  virtual void derive(const std::function<void()>& /*set*/) {}

 protected:
  virtual void scalar(const FieldSpec&, Scalar value) = 0;
  virtual void enumeration(const FieldSpec&, std::int64_t& value, const std::vector<Choice>&) = 0;
  virtual void nested(const FieldSpec&, const std::function<void(Describer&)>& body) = 0;
  /// `element(i, d)` describes element i < size; `restart(n)` drops all elements and makes n new ones.
  virtual void array(const FieldSpec&, std::size_t size, const std::function<void(std::size_t, Describer&)>& element,
                     const std::function<void(std::size_t)>& restart) = 0;
  virtual void polymorphic(const FieldSpec&, std::string_view family, AnyConfig& value) = 0;
  virtual void polymorphic_map(const FieldSpec&, std::string_view family,
                               std::vector<std::pair<std::string, AnyConfig>>& values) = 0;

 private:
  static void apply(FieldSpec& s, void (*o)(FieldSpec&)) { o(s); }
  static void apply(FieldSpec& s, const Option& o) { o(s); }
};

template <class C>
const C& AnyConfig::as() const {
  const auto* holder = dynamic_cast<const ConfigHolder<C>*>(object_.get());
  if (holder == nullptr) throw std::logic_error("config of kind \"" + kind_ + "\" read as another type");
  return holder->value;
}

template <class C>
Kind kind(std::string name, std::string doc) {
  return {std::move(name), std::move(doc), [] { return std::make_unique<ConfigHolder<C>>(); }};
}

}  // namespace tsunagi::config
