// SPDX-License-Identifier: Apache-2.0
#include "app/box/box_intervals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/box/box_runs.hpp"
#include "cluster/catalogs.hpp"
#include "figures/parameters.hpp"

namespace tsunagi::app {
namespace {

using Json = nlohmann::ordered_json;

/// The library that copies, or that of adapters, as the plan's runs use it.
config::Document library_of(const box::Plan& plan, bool of_adapters) {
  for (const box::Run& run : plan.runs)
    if (run.library.contains("$use") && run.twin.has_value() == of_adapters)
      return config::parse(Json{{"$use", run.library.at("$use")}}.dump(), "library");
  return config::parse("{}", "library");
}

/// A value's other end, and what has it.
struct End {
  std::string name;
  BoxVariant variant;
};

std::vector<config::Override> everywhere(const std::vector<std::string>& places, const std::string& value) {
  std::vector<config::Override> out;
  for (const std::string& place : places) out.push_back({place, value});
  return out;
}

std::vector<End> ends_of(const BoxMachine& machine, const box::Plan& plan) {
  MachineConfig as_it_is = machine.config();
  const config::Document cuda = library_of(plan, false);
  const config::Document verbs = library_of(plan, true);
  std::vector<figures::Parameter> parameters = figures::parameters_of(
      {config::resolved(as_it_is), config::to_json(cuda), config::to_json(verbs)},
      {config::provenance(machine.document()), config::provenance(cuda), config::provenance(verbs)});
  std::vector<End> out;
  for (const figures::Change& c : figures::changes_of(parameters)) {
    if (!c.is_end) continue;
    const figures::Parameter& p = parameters[c.parameter];
    try {
      const auto in_machine = everywhere(p.places[0], c.value);
      out.push_back({fmt::format("{} = {}", p.name, c.value),
                     {in_machine.empty() ? as_it_is : machine.config(in_machine), everywhere(p.places[1], c.value),
                      everywhere(p.places[2], c.value)}});
    } catch (const config::ConfigError&) {
      continue;  // a value that does not go with the others, as `check --sensitivity` leaves it out
    }
  }
  return out;
}

void widen(box::Value& v, double other, const std::string& name) {
  if (!v.interval) v.interval = box::Interval{*v.value, *v.value, ""};
  box::Interval& i = *v.interval;
  const double before = std::max(i.high - *v.value, *v.value - i.low);
  if (std::abs(other - *v.value) > before) i.moved_most_by = name;
  i.low = std::min(i.low, other);
  i.high = std::max(i.high, other);
}

}  // namespace

bool add_intervals(const BoxMachine& machine, box::Matrix& m, const runner::Options& options) {
  std::vector<End> ends = ends_of(machine, m.plan);
  const std::vector<std::size_t> needed = box::needed_runs(m.plan);
  std::vector<BoxVariant> variants;
  std::vector<BoxTask> tasks;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    variants.push_back(ends[i].variant);
    for (const std::size_t run : needed) tasks.push_back({i, run});
  }
  const auto observed = observe(variants, m.plan, tasks, options);
  if (!observed) return false;
  for (std::size_t i = 0; i < m.values.size(); ++i) {
    if (!m.values[i].value) continue;
    const box::Cell& c = m.plan.cells[i];
    box::Value& v = m.values[i];
    if (c.alike) {
      v.interval = m.values[*c.alike].interval;
      continue;
    }
    v.interval = box::Interval{*v.value, *v.value, ""};
    const auto run = std::lower_bound(needed.begin(), needed.end(), c.reading->run) - needed.begin();
    for (std::size_t e = 0; e < ends.size(); ++e) {
      const box::Value other = box::value_of(m.plan, c, (*observed)[e * needed.size() + static_cast<std::size_t>(run)]);
      if (other.value) widen(v, *other.value, ends[e].name);
    }
  }
  return true;
}

}  // namespace tsunagi::app
