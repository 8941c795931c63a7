// SPDX-License-Identifier: Apache-2.0
#include "whatif/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "config/config.hpp"

namespace tsunagi::whatif {
namespace {

/// A limit while its places are gathered.
struct Gathered {
  config::IdealField first;
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
  const std::string part = g.first.kind.empty() ? "the run" : g.first.kind;
  const std::string places = g.overrides.size() == 1 ? "" : fmt::format(" ({} places)", g.overrides.size());
  const std::string name = g.first.limit.empty() ? fmt::format("{} of {}", g.first.key, part) : g.first.limit;
  return {name + places, g.first.doc, joined(g.values), g.ideal, std::move(g.overrides)};
}

}  // namespace

std::vector<Limit> limits(const RunConfig& run) {
  RunConfig config = run;  // describing takes it by reference, and changes nothing
  std::vector<Gathered> gathered;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> index;
  for (const config::IdealField& place : config::ideals(config)) {
    if (place.is_ideal) continue;
    const auto [known, is_new] =
        index.emplace(place.limit.empty() ? std::tuple(place.family, place.kind, place.key)
                                          : std::tuple(std::string(), std::string(), place.limit),
                      gathered.size());
    const std::string ideal = place.ideal.is_string() ? place.ideal.get<std::string>() : place.ideal.dump();
    if (is_new) gathered.push_back({place, {}, ideal, {}});
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
