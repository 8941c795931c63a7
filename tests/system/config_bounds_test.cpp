// SPDX-License-Identifier: Apache-2.0
// Every number that a config may hold is bounded, so that what models make of them fits 64 bits.

#include "cluster/catalogs.hpp"
#include "config/config.hpp"
#include "runner/run_config.hpp"
#include "support/catch.hpp"

namespace config_bounds_test {

using namespace tsunagi;

namespace {

/// Collects the numbers without a bound: an upper one, a lower one for rates.
class Unbounded final : public config::Describer {
 public:
  explicit Unbounded(std::string where) : where_(std::move(where)) {}
  void require(bool, std::string_view) override {}
  std::vector<std::string> found;
  int seen = 0;

 protected:
  using Spec = config::FieldSpec;
  void scalar(const Spec& s, config::Scalar value) override {
    std::visit([&](const auto* v) { look(s, *v); }, value);
  }
  void enumeration(const Spec&, std::int64_t&, const std::vector<config::Choice>&) override {}
  void nested(const Spec& s, const std::function<void(Describer&)>& body) override { down(s, body); }
  void array(const Spec& s, std::size_t, const std::function<void(std::size_t, Describer&)>& element,
             const std::function<void(std::size_t)>& restart) override {
    restart(1);
    down(s, [&](Describer& d) { element(0, d); });
  }
  void polymorphic(const Spec&, std::string_view, config::AnyConfig&) override {}
  void polymorphic_map(const Spec&, std::string_view,
                       std::vector<std::pair<std::string, config::AnyConfig>>&) override {}

 private:
  template <class T>
  void look(const Spec& s, const T&) {
    note(s, s.high || !s.one_of.empty());
  }
  void look(const Spec&, const bool&) {}
  void look(const Spec&, const std::string&) {}
  void look(const Spec&, const std::vector<std::string>&) {}
  void look(const Spec& s, const Rate&) { note(s, s.low.has_value()); }
  void note(const Spec& s, bool bounded) {
    ++seen;
    if (!bounded) found.push_back(where_ + "." + std::string(s.name));
  }
  void down(const Spec& s, const std::function<void(Describer&)>& body) {
    Unbounded inner(where_ + "." + std::string(s.name));
    body(inner);
    seen += inner.seen;
    found.insert(found.end(), inner.found.begin(), inner.found.end());
  }
  std::string where_;
};

}  // namespace

TEST_CASE("every number of a config has a bound") {
  std::vector<std::string> found;
  int seen = 0;
  const auto look = [&](const std::string& where, const std::function<void(config::Describer&)>& body) {
    Unbounded unbounded(where);
    body(unbounded);
    seen += unbounded.seen;
    found.insert(found.end(), unbounded.found.begin(), unbounded.found.end());
  };
  for (const config::KindTable& family : all_kinds().tables())
    for (const config::Kind& kind : family.kinds)
      look(kind.name, [&](config::Describer& d) { kind.make()->describe(d); });
  RunConfig run;
  look("run", [&run](config::Describer& d) { describe(run, d); });
  CHECK(seen > 150);
  // seeds are mixed, not counted with
  CHECK(found == std::vector<std::string>{"pcie_bench.seed", "npb_is.seed", "random_pairs.seed", "traffic.seed",
                                          "run.options.seed"});
}

}  // namespace config_bounds_test
