// SPDX-License-Identifier: Apache-2.0
// Documents from `describe`: the schema is the grammar.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "config/config.hpp"
#include "stats/random.hpp"

namespace tsunagi::fuzz {

using Random = stats::RandomStream;

/// Draws a value for every required field of what is described, and for some of the others: into the struct, and into
/// JSON text that a reader must take for the same struct. Rules over several fields may be broken, as it notes.
class Generator final : public config::Describer {
 public:
  Generator(Random& random, const config::Kinds& kinds, int depth = 0)
      : random_(random), kinds_(kinds), depth_(depth) {}

  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  /// What the rules that do not hold say.
  std::vector<std::string> broken;

  void require(bool ok, std::string_view message) override;
  void derive(const std::function<void()>& set) override { set(); }

  /// {"kind": …} of a family.
  config::AnyConfig any_of(std::string_view family, nlohmann::ordered_json& out);

 protected:
  using Spec = config::FieldSpec;
  void scalar(const Spec& s, config::Scalar value) override {
    std::visit([&](auto* v) { draw(s, *v); }, value);
  }
  void enumeration(const Spec& s, std::int64_t& v, const std::vector<config::Choice>& choices) override;
  void nested(const Spec& s, const std::function<void(Describer&)>& body) override;
  void array(const Spec& s, std::size_t size, const std::function<void(std::size_t, Describer&)>& element,
             const std::function<void(std::size_t)>& restart) override;
  void polymorphic(const Spec& s, std::string_view family, config::AnyConfig& v) override;
  void polymorphic_map(const Spec& s, std::string_view family,
                       std::vector<std::pair<std::string, config::AnyConfig>>& v) override;

 private:
  void draw(const Spec& s, bool& v);
  void draw(const Spec& s, std::int64_t& v);
  void draw(const Spec& s, double& v);
  void draw(const Spec& s, std::string& v);
  void draw(const Spec& s, Time& v);
  void draw(const Spec& s, Bytes& v);
  void draw(const Spec& s, Rate& v);
  void draw(const Spec& s, Frequency& v);
  void draw(const Spec& s, TransferRate& v);
  void draw(const Spec& s, Length& v);
  void draw(const Spec& s, std::vector<std::string>& v);
  void draw(const Spec& s, std::vector<std::int64_t>& v);
  void draw(const Spec& s, std::vector<Bytes>& v);
  bool wanted(const Spec& s) { return s.required || random_.below(100) < 40; }
  std::int64_t drawn(std::int64_t low, std::int64_t high);
  std::int64_t whole(const Spec& s);
  Bytes size(const Spec& s);
  std::string word();
  /// Takes over what was drawn for a part.
  nlohmann::ordered_json part(Generator& drawn);
  void put(const Spec& s, nlohmann::ordered_json value) { json[std::string(s.name)] = std::move(value); }

  Random& random_;
  const config::Kinds& kinds_;
  int depth_;
};

}  // namespace tsunagi::fuzz
