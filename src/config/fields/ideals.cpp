// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <vector>

#include "config/fields/scalars.hpp"
#include "config/fields/writer.hpp"
#include "config/message.hpp"

namespace tsunagi::config::detail {

namespace {

/// Collects the fields that name an ideal.
class IdealFinder final : public Describer {
 public:
  /// `pointer` of the object that is described next; `part`: family and kind of the part around it, and "dma." as the
  /// key in it.
  IdealFinder(std::string pointer, IdealField part, std::vector<IdealField>& out)
      : pointer_(std::move(pointer)), part_(std::move(part)), out_(out) {}
  void require(bool, std::string_view) override {}

 protected:
  void scalar(const FieldSpec& s, Scalar value) override {
    std::visit([&](const auto* v) { note(s, *v); }, value);
  }
  void enumeration(const FieldSpec& s, std::int64_t& v, const std::vector<Choice>& choices) override {
    if (!s.ideal) return;
    const auto ideal = made_from_base<std::int64_t>(*s.ideal);
    std::string now, best;
    for (const Choice& c : choices) {
      if (c.value == v) now = std::string(c.name);
      if (c.value == ideal) best = std::string(c.name);
    }
    add(s, now, best, v == ideal);
  }
  void nested(const FieldSpec& s, const std::function<void(Describer&)>& body) override { down(s, at(s), body); }
  void array(const FieldSpec& s, std::size_t size, const std::function<void(std::size_t, Describer&)>& element,
             const std::function<void(std::size_t)>&) override {
    for (std::size_t i = 0; i < size; ++i) {
      down(s, below(at(s), std::to_string(i)), [&](Describer& d) { element(i, d); });
    }
  }
  void polymorphic(const FieldSpec& s, std::string_view family, AnyConfig& v) override { of_kind(at(s), family, v); }
  void polymorphic_map(const FieldSpec& s, std::string_view family,
                       std::vector<std::pair<std::string, AnyConfig>>& v) override {
    for (const auto& [name, config] : v) of_kind(below(at(s), name), family, config);
  }

 private:
  std::string at(const FieldSpec& s) const { return below(pointer_, s.name); }

  template <class T>
  void note(const FieldSpec& s, const T& v) {
    if (!s.ideal) return;
    const T ideal = made_from_base<T>(*s.ideal);
    add(s, show(v), write(ideal), !less(v, ideal) && !less(ideal, v));
  }
  // Texts and lists have none.
  void note(const FieldSpec&, const std::string&) {}
  template <class T>
  void note(const FieldSpec&, const std::vector<T>&) {}
  std::string key(const FieldSpec& s) const { return part_.key + std::string(s.name); }
  void add(const FieldSpec& s, std::string value, nlohmann::ordered_json ideal, bool is_ideal) {
    out_.push_back({at(s), part_.family, part_.kind, key(s), std::string(s.doc), std::move(value), std::move(ideal),
                    is_ideal, std::string(s.limit), s.follows.empty() ? "" : below(pointer_, s.follows)});
  }
  void down(const FieldSpec& s, const std::string& pointer, const std::function<void(Describer&)>& body) {
    IdealField part = part_;
    part.key = key(s) + ".";
    IdealFinder finder(pointer, std::move(part), out_);
    body(finder);
  }
  void of_kind(const std::string& pointer, std::string_view family, const AnyConfig& config) {
    if (config.empty()) return;
    IdealField part;
    part.family = family;
    part.kind = config.kind();
    IdealFinder finder(pointer, std::move(part), out_);
    config.object()->describe(finder);
  }

  std::string pointer_;
  IdealField part_;
  std::vector<IdealField>& out_;
};

}  // namespace

std::vector<IdealField> ideals(const Body& body) {
  std::vector<IdealField> out;
  IdealFinder finder({}, {}, out);
  body(finder);
  return out;
}

}  // namespace tsunagi::config::detail
