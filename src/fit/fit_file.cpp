// SPDX-License-Identifier: Apache-2.0
#include "fit/fit_file.hpp"

#include <fmt/format.h>

#include "config/quantity.hpp"
#include "figures/expression.hpp"
#include "fit/unit.hpp"
#include "runner/places.hpp"

namespace tsunagi::fit {
namespace {

/// Collects what is wrong, with its place.
class Faults {
 public:
  explicit Faults(const config::Document& document) : document_(document) {}
  void add(const std::string& pointer, const std::string& text) {
    messages_.push_back({runner::place_of(document_, pointer), pointer, text});
  }
  void throw_if_any() const { config::throw_if_any(messages_); }

 private:
  const config::Document& document_;
  std::vector<config::Message> messages_;
};

void check(const Curve& curve, const std::string& at, Faults& faults) {
  for (const std::string& filter : curve.where)
    if (filter.find('=') == std::string::npos) faults.add(at + "/where", "must be texts like \"column=text\"");
  for (const auto& [key, unit] : {std::pair{"/unit", curve.unit}, {"/x_unit", curve.x_unit}})
    if (!unit_of(unit)) faults.add(at + key, fmt::format("unknown unit \"{}\"", unit));
  try {
    figures::check_expression(curve.expression, {"run"}, {{"x", 1}});
  } catch (const figures::ExpressionError& e) {
    faults.add(at + "/expression", e.what());
  }
}

}  // namespace

void describe(FreeParameter& c, config::Describer& d) {
  using namespace config;
  d.field("file", c.file, "the part's file, relative to this one", required);
  d.field("path", c.path, "JSON pointer of the value in it, for example /engine/start_cycles", required);
  d.field("range", c.range, "lowest and highest value, written as texts: [\"10 ns\", \"80 ns\"], [\"4\", \"96\"]",
          required);
  d.require(c.range.size() == 2, "\"range\" is two values: [low, high]");
}

void describe(Curve& c, config::Describer& d) {
  using namespace config;
  d.field("name", c.name, "what the curve is called", required);
  d.field("data", c.data, "CSV file whose first line names its columns, relative to this file", required);
  d.field("where", c.where, "keep only lines whose column has this text: \"column=text\"");
  d.field("x", c.x, "column along which the curve goes", required);
  d.field("x_unit", c.x_unit, "unit of x, for example B; none: bare numbers");
  d.field("y", c.y, "column of the measured values", required);
  d.field("unit", c.unit, "unit of y, for example ns or Gb/s; none: bare numbers");
  d.field("run", c.run, "the run that simulates it, relative to this file", required);
  d.field("set", c.set, "overrides of the run as of `tsunagi run --set`: \"POINTER=VALUE\"");
  d.field("along", c.along, "JSON pointer of the list in the run that gets the values of x: /scenario/sizes", required);
  d.field("expression", c.expression, "the simulated value at x from the rows of `run`: at(run.latency, run.size, x)",
          required);
  d.field("weight", c.weight, "how much it counts beside other curves", at_least(0.0));
  d.field("id", c.id, "by which `tsunagi check` tells its mean error, as a figure of the system components");
  d.field("aim", c.aim, "the mean error, in per cent, that it should not exceed", within(0.0, 100.0));
  d.require(c.id.empty() == (c.aim == 0), "\"id\" and \"aim\" belong together");
}

void describe(FitFile& c, config::Describer& d) {
  d.field("name", c.name, "short name of the fit, which parts keep");
  d.field("title", c.title, "one line: what is fitted to what");
  d.list("parameters", c.parameters, "the free parameters", config::required);
  d.list("curves", c.curves, "the measured curves", config::required);
}

FitFile read_fit(const config::Document& document) {
  auto out = config::read<FitFile>(document, config::Kinds{});
  Faults faults(document);
  if (out.parameters.empty()) faults.add("/parameters", "nothing is free");
  if (out.curves.empty()) faults.add("/curves", "there is nothing to come close to");
  for (std::size_t i = 0; i < out.curves.size(); ++i) check(out.curves[i], fmt::format("/curves/{}", i), faults);
  faults.throw_if_any();
  return out;
}

}  // namespace tsunagi::fit
