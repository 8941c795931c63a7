// SPDX-License-Identifier: Apache-2.0
// Internal to src/config: the describer that reads one JSON object.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "config/describe.hpp"
#include "config/message.hpp"
#include "config/value.hpp"

namespace tsunagi::config::detail {

/// What all objects of one reading share.
struct Reading {
  const Kinds& kinds;
  std::vector<Message>& messages;
  /// What was read without fault, by its family and by the members that it was read from: of objects that share them,
  /// as equal nodes do, the first is read and the others are the same config.
  std::map<std::pair<const KindTable*, const void*>, AnyConfig>& good;
  /// What is odd, if somebody wants to know.
  std::vector<Message>* warnings = nullptr;
};

/// Reads the fields of one object; `finish` then judges what was not asked for.
class ObjectReader final : public Describer {
 public:
  ObjectReader(const Value& object, std::string pointer, const Reading& reading);

  /// Reads `value` as an object described by `body`; tells if it is none.
  static void read(const Value& value, const std::string& pointer, const Reading& reading,
                   const std::function<void(Describer&)>& body);
  /// Reads {"kind": …} of `family`; nothing if the kind is missing or unknown, which is told.
  static AnyConfig read_kind(const Value& value, const std::string& pointer, const Reading& reading,
                             std::string_view family);

  void require(bool ok, std::string_view message) override;
  void advise(bool ok, std::string_view field, std::string_view message) override;
  void derive(const std::function<void()>& set) override { set(); }

 protected:
  void scalar(const FieldSpec& s, Scalar scalar) override;
  void enumeration(const FieldSpec& s, std::int64_t& v, const std::vector<Choice>& choices) override;
  void nested(const FieldSpec& s, const std::function<void(Describer&)>& body) override;
  void array(const FieldSpec& s, std::size_t size, const std::function<void(std::size_t, Describer&)>& element,
             const std::function<void(std::size_t)>& restart) override;
  void polymorphic(const FieldSpec& s, std::string_view family, AnyConfig& v) override;
  void polymorphic_map(const FieldSpec& s, std::string_view family,
                       std::vector<std::pair<std::string, AnyConfig>>& v) override;

 private:
  template <class T>
  bool take(const FieldSpec& s, const Value& from, const std::string& pointer, T& to);
  template <class T>
  void value(const FieldSpec& s, T& value);
  template <class T>
  void value(const FieldSpec& s, std::vector<T>& values);
  template <class T>
  void check_range(const FieldSpec& s, const T* value);

  const Value* given(const FieldSpec& s);
  const Value* written(const FieldSpec& s) const;
  std::string at(const FieldSpec& s) const { return below(pointer_, s.name); }
  void fail(const Place& place, const std::string& pointer, const std::string& text);
  void finish(std::size_t messages_before);
  void check_sources();

  const Value& object_;
  std::string pointer_;
  const Reading& reading_;
  const Value* sources_;
  std::vector<std::string> known_;
  std::vector<std::string> broken_rules_;
  std::vector<Message> oddities_;
};

}  // namespace tsunagi::config::detail
