// SPDX-License-Identifier: Apache-2.0
// Internal to src/config: the describer that writes the schema of one object.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "config/describe.hpp"

namespace tsunagi::config::detail {

/// Writes an object's schema in two halves: `shape` says what each key may hold, also in an object that only
/// overrides some of what a "$use" brings; `demand` says what a whole object must have, and binds where there
/// is no "$use". `families` collects the families of kinds it refers to.
class ObjectSchema final : public Describer {
 public:
  explicit ObjectSchema(std::vector<std::string>& families) : families_(families) {}

  /// A property beside the described ones, such as "kind".
  void add_property(const std::string& name, nlohmann::ordered_json schema);
  nlohmann::ordered_json shape() const;
  /// An empty object if nothing is demanded.
  nlohmann::ordered_json demand() const;

  void require(bool, std::string_view) override {}

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
  void value(const FieldSpec& s, const T& v);
  template <class T>
  void value(const FieldSpec& s, const std::vector<T>& v);
  void put(const FieldSpec& s, nlohmann::ordered_json schema, nlohmann::ordered_json demand);
  void use(std::string_view family);

  std::vector<std::string>& families_;
  nlohmann::ordered_json properties_ = nlohmann::ordered_json::object();
  nlohmann::ordered_json demanded_properties_ = nlohmann::ordered_json::object();
  nlohmann::ordered_json required_ = nlohmann::ordered_json::array();
};

/// {"if": {"required": ["$use"]}, "else": `demand`}.
nlohmann::ordered_json unless_used(nlohmann::ordered_json demand);
/// Names of a family's two "$defs" entries.
std::string shape_name(std::string_view family);
std::string demand_name(std::string_view family);

}  // namespace tsunagi::config::detail
