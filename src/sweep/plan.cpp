// SPDX-License-Identifier: Apache-2.0
#include "sweep/plan.hpp"

#include <utility>

#include "sweep/base_run.hpp"
#include "sweep/plan_check.hpp"

namespace tsunagi::sweep {
namespace {

/// The sweep's run, which has every place that is to be set.
BaseRun checked_base(const Sweep& sweep, const config::Kinds& kinds) {
  BaseRun base(sweep.base, kinds);
  check(sweep, base);
  for (const Dimension& dimension : sweep.dimensions)
    for (const Axis& axis : dimension)
      for (const std::string& path : axis.paths) base.spell_out(path);
  for (const Derivation& derivation : sweep.derive) base.spell_out(derivation.path);
  return base;
}

}  // namespace

Plan::Plan(const Sweep& sweep, const config::Kinds& kinds, std::string version)
    : Plan(checked_base(sweep, kinds), sweep, std::move(version)) {}

Plan::Plan(BaseRun base, const Sweep& sweep, std::string version)
    : base_(base.document()), variation_(sweep), hashes_(base, variation_), version_(std::move(version)) {}

Point Plan::point(std::size_t i) const {
  const Indices at = variation_.at(i);
  return {id_from(hashes_.hash(variation_, at), version_), variation_.coordinates(at), variation_.overrides(at)};
}

std::string Plan::id(std::size_t i) const { return id_from(hashes_.hash(variation_, variation_.at(i)), version_); }

std::vector<std::filesystem::path> Plan::files() const {
  std::vector<std::filesystem::path> out = base_.files;
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
