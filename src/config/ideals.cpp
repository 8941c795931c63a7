// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <vector>

#include "config/message.hpp"
#include "config/scalars.hpp"
#include "config/writer.hpp"

namespace tsunagi::config::detail {

namespace {

/// Collects the fields that name an ideal.
class IdealFinder final : public Describer {
 public:
  IdealFinder(std::string pointer, std::vector<IdealField>& out) : pointer_(std::move(pointer)), out_(out) {}
  void require(bool, std::string_view) override {}

 protected:
  void scalar(const FieldSpec& s, bool& v) override { note(s, v); }
  void scalar(const FieldSpec& s, std::int64_t& v) override { note(s, v); }
  void scalar(const FieldSpec& s, double& v) override { note(s, v); }
  void scalar(const FieldSpec&, std::string&) override {}
  void scalar(const FieldSpec& s, Time& v) override { note(s, v); }
  void scalar(const FieldSpec& s, Bytes& v) override { note(s, v); }
  void scalar(const FieldSpec& s, Rate& v) override { note(s, v); }
  void scalar(const FieldSpec& s, Frequency& v) override { note(s, v); }
  void scalar(const FieldSpec&, std::vector<std::string>&) override {}
  void scalar(const FieldSpec&, std::vector<std::int64_t>&) override {}
  void scalar(const FieldSpec&, std::vector<Bytes>&) override {}

  void enumeration(const FieldSpec& s, std::int64_t& v, const std::vector<Choice>& choices) override {
    if (!s.ideal) return;
    const auto ideal = made_from_base<std::int64_t>(*s.ideal);
    std::string now, best;
    for (const Choice& c : choices) {
      if (c.value == v) now = std::string(c.name);
      if (c.value == ideal) best = std::string(c.name);
    }
    out_.push_back({at(s), now, best, v == ideal});
  }
  void nested(const FieldSpec& s, const std::function<void(Describer&)>& body) override { down(at(s), body); }
  void array(const FieldSpec& s, std::size_t size, const std::function<void(std::size_t, Describer&)>& element,
             const std::function<void(std::size_t)>&) override {
    for (std::size_t i = 0; i < size; ++i) {
      down(below(at(s), std::to_string(i)), [&](Describer& d) { element(i, d); });
    }
  }
  void polymorphic(const FieldSpec& s, std::string_view, AnyConfig& v) override { of_kind(at(s), v); }
  void polymorphic_map(const FieldSpec& s, std::string_view,
                       std::vector<std::pair<std::string, AnyConfig>>& v) override {
    for (const auto& [name, config] : v) of_kind(below(at(s), name), config);
  }

 private:
  std::string at(const FieldSpec& s) const { return below(pointer_, s.name); }

  template <class T>
  void note(const FieldSpec& s, const T& v) {
    if (!s.ideal) return;
    const T ideal = made_from_base<T>(*s.ideal);
    out_.push_back({at(s), show(v), write(ideal), !less(v, ideal) && !less(ideal, v)});
  }
  void down(const std::string& pointer, const std::function<void(Describer&)>& body) {
    IdealFinder finder(pointer, out_);
    body(finder);
  }
  void of_kind(const std::string& pointer, const AnyConfig& config) {
    if (!config.empty()) down(pointer, [&](Describer& d) { config.object()->describe(d); });
  }

  std::string pointer_;
  std::vector<IdealField>& out_;
};

}  // namespace

std::vector<IdealField> ideals(const Body& body) {
  std::vector<IdealField> out;
  IdealFinder finder({}, out);
  body(finder);
  return out;
}

}  // namespace tsunagi::config::detail
