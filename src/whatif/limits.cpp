// SPDX-License-Identifier: Apache-2.0
#include "whatif/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

#include "config/config.hpp"

namespace tsunagi::whatif {
namespace {

/// What is known of a field with an ideal beside its values.
struct Field {
  std::string family;  ///< of the part it belongs to; empty outside any part
  std::string kind;    ///< of that part
  std::string key;     ///< its place in that part, list indices left out: "dma.tags"
  std::string doc;
};

/// Finds the fields with an ideal, by JSON pointer.
class FieldFinder final : public config::Describer {
 public:
  using Fields = std::map<std::string, Field>;

  /// `pointer` of the object that is described next; `part` holds the part around it, and "dma." as the key in it.
  FieldFinder(std::string pointer, Field part, Fields& out)
      : pointer_(std::move(pointer)), part_(std::move(part)), out_(out) {}
  void require(bool, std::string_view) override {}

 protected:
  using Spec = config::FieldSpec;

  void scalar(const Spec& s, bool&) override { note(s); }
  void scalar(const Spec& s, std::int64_t&) override { note(s); }
  void scalar(const Spec& s, double&) override { note(s); }
  void scalar(const Spec& s, std::string&) override { note(s); }
  void scalar(const Spec& s, Time&) override { note(s); }
  void scalar(const Spec& s, Bytes&) override { note(s); }
  void scalar(const Spec& s, Rate&) override { note(s); }
  void scalar(const Spec& s, Frequency&) override { note(s); }
  void scalar(const Spec& s, std::vector<std::string>&) override { note(s); }
  void scalar(const Spec& s, std::vector<std::int64_t>&) override { note(s); }
  void scalar(const Spec& s, std::vector<Bytes>&) override { note(s); }
  void enumeration(const Spec& s, std::int64_t&, const std::vector<config::Choice>&) override { note(s); }

  void nested(const Spec& s, const std::function<void(config::Describer&)>& body) override { down(s, at(s), body); }
  void array(const Spec& s, std::size_t size, const std::function<void(std::size_t, config::Describer&)>& element,
             const std::function<void(std::size_t)>&) override {
    for (std::size_t i = 0; i < size; ++i)
      down(s, config::below(at(s), std::to_string(i)), [&](config::Describer& d) { element(i, d); });
  }
  void polymorphic(const Spec& s, std::string_view family, config::AnyConfig& v) override { part(at(s), family, v); }
  void polymorphic_map(const Spec& s, std::string_view family,
                       std::vector<std::pair<std::string, config::AnyConfig>>& v) override {
    for (const auto& [name, config] : v) part(config::below(at(s), name), family, config);
  }

 private:
  std::string at(const Spec& s) const { return config::below(pointer_, s.name); }
  std::string key(const Spec& s) const { return part_.key + std::string(s.name); }

  void note(const Spec& s) {
    if (s.ideal) out_[at(s)] = {part_.family, part_.kind, key(s), std::string(s.doc)};
  }
  void down(const Spec& s, const std::string& pointer, const std::function<void(config::Describer&)>& body) {
    FieldFinder finder(pointer, {part_.family, part_.kind, key(s) + ".", {}}, out_);
    body(finder);
  }
  void part(const std::string& pointer, std::string_view family, const config::AnyConfig& config) {
    if (config.empty()) return;
    FieldFinder finder(pointer, {std::string(family), config.kind(), {}, {}}, out_);
    config.object()->describe(finder);
  }

  std::string pointer_;
  Field part_;
  Fields& out_;
};

/// A limit while its places are gathered.
struct Gathered {
  Field field;
  std::vector<std::string> values;  // distinct, in order
  std::string ideal;
  std::vector<config::Override> overrides;
};

std::string joined(const std::vector<std::string>& values) {
  constexpr std::size_t most = 3;
  const std::size_t shown = std::min(values.size(), most);
  return fmt::format("{}{}", fmt::join(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                     values.size() > most ? ", ..." : "");
}

Limit finished(Gathered&& g) {
  const std::string part = g.field.kind.empty() ? "the run" : g.field.kind;
  const std::string places = g.overrides.size() == 1 ? "" : fmt::format(" ({} places)", g.overrides.size());
  return {fmt::format("{} of {}{}", g.field.key, part, places), g.field.doc, joined(g.values), g.ideal,
          std::move(g.overrides)};
}

}  // namespace

std::vector<Limit> limits(const RunConfig& run) {
  RunConfig config = run;  // describing takes it by reference, and changes nothing
  FieldFinder::Fields fields;
  FieldFinder finder({}, {}, fields);
  describe(config, finder);

  std::vector<Gathered> gathered;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> index;
  for (const config::IdealField& place : config::ideals(config)) {
    if (place.is_ideal) continue;
    const Field& field = fields.at(place.pointer);
    const auto [known, is_new] = index.emplace(std::tuple(field.family, field.kind, field.key), gathered.size());
    const std::string ideal = place.ideal.is_string() ? place.ideal.get<std::string>() : place.ideal.dump();
    if (is_new) gathered.push_back({field, {}, ideal, {}});
    Gathered& limit = gathered[known->second];
    if (std::find(limit.values.begin(), limit.values.end(), place.value) == limit.values.end())
      limit.values.push_back(place.value);
    limit.overrides.push_back({place.pointer, place.ideal.dump()});
  }
  std::vector<Limit> out;
  for (Gathered& limit : gathered) out.push_back(finished(std::move(limit)));
  return out;
}

}  // namespace tsunagi::whatif
