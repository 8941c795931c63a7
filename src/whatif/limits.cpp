// SPDX-License-Identifier: Apache-2.0
#include "whatif/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "config/config.hpp"
#include "topo/graph.hpp"

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

struct OneWire {
  config::AnyConfig wire;
};
void describe(OneWire& c, config::Describer& d) { d.any("wire", c.wire, "wire", "a wire"); }

/// Whether a wire has a field of its own of that name.
bool has_field(const config::AnyConfig& wire, const std::string& key) {
  OneWire one{wire};
  return config::resolved(one)["wire"].contains(key);
}

/// A limit of wires lies on whole paths: wires of another kind between two devices of one kind that has such wires (QPI
/// between root complexes) are set with it, where they have that field and it is no limit of its own (`others`: the
/// places that are).
void join_wires_between(const topo::Graph& graph, const std::set<std::string>& others, Gathered& limit) {
  std::set<std::uint32_t> devices;  // that have wires of the limit's kind
  for (const topo::Link& l : graph.links)
    if (l.wire.kind() == limit.first.kind) devices.insert({l.a.node, l.b.node});
  std::set<std::string> done;
  for (const topo::Link& l : graph.links) {
    const bool between = graph.nodes[l.a.node].config.kind() == graph.nodes[l.b.node].config.kind() &&
                         (devices.count(l.a.node) != 0 || devices.count(l.b.node) != 0);
    if (!between || l.wire.kind() == limit.first.kind || !has_field(l.wire, limit.first.key)) continue;
    const bool is_whole =
        l.pointer.size() > 4 && l.pointer.compare(l.pointer.size() - 4, 4, "wire") == 0;  // of networks
    if (const std::string place = l.pointer + (is_whole ? "/" : "/wire/") + limit.first.key;
        others.count(place) == 0 && done.insert(place).second)
      limit.overrides.push_back({place, limit.first.ideal.dump()});
  }
}

/// No graph: nothing is joined, and whoever builds the machine says what is wrong with it.
std::optional<topo::Graph> graph_of(const RunConfig& run) {
  try {
    return topo::build(run.machine.topology);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace

std::vector<Limit> limits(const RunConfig& run) {
  RunConfig config = run;  // describing takes it by reference, and changes nothing
  std::vector<Gathered> gathered;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> index;
  std::set<std::string> places;
  for (const config::IdealField& place : config::ideals(config)) {
    places.insert(place.pointer);
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
  if (const std::optional<topo::Graph> graph = graph_of(run))
    for (Gathered& limit : gathered)
      if (limit.first.family == "wire" && limit.first.limit.empty()) join_wires_between(*graph, places, limit);
  std::vector<Limit> out;
  for (Gathered& limit : gathered) out.push_back(finished(std::move(limit)));
  return out;
}

}  // namespace tsunagi::whatif
