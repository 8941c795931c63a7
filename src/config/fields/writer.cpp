// SPDX-License-Identifier: Apache-2.0
#include "config/fields/writer.hpp"

#include <utility>

#include "config/fields/scalars.hpp"

namespace tsunagi::config::detail {

namespace {

using nlohmann::ordered_json;

/// Writes one object's fields.
class Writer final : public Describer {
 public:
  explicit Writer(ordered_json& out) : out_(out) {}
  void require(bool, std::string_view) override {}

 protected:
  void scalar(const FieldSpec& s, Scalar value) override {
    std::visit([&](const auto* v) { at(s) = write(s, *v); }, value);
  }
  void enumeration(const FieldSpec& s, std::int64_t& v, const std::vector<Choice>& choices) override {
    for (const Choice& c : choices) {
      if (c.value == v) at(s) = std::string(c.name);
    }
  }
  void nested(const FieldSpec& s, const std::function<void(Describer&)>& body) override { at(s) = resolved(body); }
  void array(const FieldSpec& s, std::size_t size, const std::function<void(std::size_t, Describer&)>& element,
             const std::function<void(std::size_t)>&) override {
    ordered_json list = ordered_json::array();
    for (std::size_t i = 0; i < size; ++i) list.push_back(resolved([&](Describer& d) { element(i, d); }));
    at(s) = std::move(list);
  }
  void polymorphic(const FieldSpec& s, std::string_view, AnyConfig& v) override {
    if (!v.empty()) at(s) = of_kind(v);
  }
  void polymorphic_map(const FieldSpec& s, std::string_view,
                       std::vector<std::pair<std::string, AnyConfig>>& v) override {
    ordered_json map = ordered_json::object();
    // Names differ: to look for each among those before it would take its time.
    auto& members = map.get_ref<ordered_json::object_t&>();
    for (const auto& [name, config] : v) members.push_back({name, of_kind(config)});
    at(s) = std::move(map);
  }

 private:
  ordered_json& at(const FieldSpec& s) { return out_[std::string(s.name)]; }

  static ordered_json of_kind(const AnyConfig& config) {
    ordered_json out = ordered_json::object();
    out["kind"] = config.kind();
    Writer writer(out);
    if (!config.empty()) config.object()->describe(writer);
    return out;
  }

  ordered_json& out_;
};

}  // namespace

ordered_json resolved(const Body& body) {
  ordered_json out = ordered_json::object();
  Writer writer(out);
  body(writer);
  return out;
}

}  // namespace tsunagi::config::detail
