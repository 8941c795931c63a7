// SPDX-License-Identifier: Apache-2.0
#include "sweep/plan/plan.hpp"

#include <utility>

#include "sweep/plan/base_run.hpp"
#include "sweep/plan/plan_check.hpp"

namespace tsunagi::sweep {
namespace {

/// The places of these paths in the run. Throws config::ConfigError, at `where`.
std::vector<std::string> places_of(const std::vector<std::string>& paths, const BaseRun& base, const Where& where) {
  std::vector<std::string> out;
  for (const std::string& path : paths) {
    const config::Places places = base.places(path);
    if (!places.fault.empty())
      throw config::ConfigError({where.says(where.pointer.empty() ? places.fault : path + ": " + places.fault)});
    out.insert(out.end(), places.pointers.begin(), places.pointers.end());
  }
  return out;
}

/// The sweep with a JSON pointer for each place that its paths have.
Sweep with_places(Sweep sweep, const BaseRun& base) {
  for (Dimension& dimension : sweep.dimensions)
    for (Axis& axis : dimension) axis.paths = places_of(axis.paths, base, axis.where);
  std::vector<Derivation> derive;
  for (Derivation& derivation : sweep.derive) {
    for (std::string& place : places_of({derivation.path}, base, derivation.where)) {
      derive.push_back(derivation);
      derive.back().path = std::move(place);
    }
  }
  sweep.derive = std::move(derive);
  return sweep;
}

}  // namespace

/// A sweep with all its places, and its run, which has every place that is to be set.
struct Plan::Checked {
  Checked(const Sweep& written, const config::Kinds& kinds)
      : base(written.base, kinds), sweep(with_places(written, base)) {
    check(sweep, base);
    for (const Dimension& dimension : sweep.dimensions)
      for (const Axis& axis : dimension)
        for (const std::string& path : axis.paths) base.spell_out(path);
    for (const Derivation& derivation : sweep.derive) base.spell_out(derivation.path);
  }

  BaseRun base;
  Sweep sweep;
};

Plan::Plan(const Sweep& sweep, const config::Kinds& kinds, std::string version)
    : Plan(Checked(sweep, kinds), std::move(version)) {}

Plan::Plan(const Checked& checked, std::string version)
    : base_(checked.base.document()),
      variation_(checked.sweep),
      hashes_(checked.base, variation_),
      version_(std::move(version)) {}

Point Plan::point(std::size_t i) const {
  const Indices at = variation_.at(i);
  return {id_from(hashes_.hash(variation_, at), version_), variation_.coordinates(at), variation_.overrides(at)};
}

std::string Plan::id(std::size_t i) const { return id_from(hashes_.hash(variation_, variation_.at(i)), version_); }

std::vector<std::filesystem::path> Plan::files() const {
  std::vector<std::filesystem::path> out = base_.files.all();
  out.insert(out.end(), hashes_.files().begin(), hashes_.files().end());
  return out;
}

std::string Plan::hash() const {
  std::string ids;
  for (std::size_t i = 0; i < size(); ++i) ids += id(i);
  return id_from(hash_bytes(ids), version_);
}

config::Document Plan::document(const Point& point) const { return overridden(base_, point.overrides); }

}  // namespace tsunagi::sweep
