// SPDX-License-Identifier: Apache-2.0
#include "draw/condense.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "config/fields/writer.hpp"
#include "draw/groups.hpp"
#include "draw/looks.hpp"

namespace tsunagi::draw {
namespace {

constexpr std::size_t least_equal = 3;  // of two, both are drawn
constexpr std::size_t most_sorts = 4;

struct OneConfig {
  config::AnyConfig one;
};
void describe(OneConfig& c, config::Describer& d) { d.any("one", c.one, "any", "anything"); }

/// All values of configs, which many devices and wires share.
class Values {
 public:
  const std::string& of(const config::AnyConfig& config) {
    const auto [it, is_new] = seen_.emplace(config.object(), "");
    if (is_new) it->second = config.kind() + (config.empty() ? "" : text(config));
    return it->second;
  }

 private:
  static std::string text(const config::AnyConfig& config) {
    OneConfig one{config};
    return config::resolved(one).dump();
  }
  std::map<const config::ConfigObject*, std::string> seen_;  // looked up, never walked
};

/// What is the same of two nodes only if they are equal.
std::vector<std::string> signatures(const topo::Graph& graph, const Groups& groups) {
  Values values;
  std::vector<std::string> out(groups.all.size());
  for (std::size_t n = 0; n < graph.nodes.size(); ++n)
    out[at(groups.of_node[n])] +=
        fmt::format("{} = {}\n", short_name(graph.nodes[n].name), values.of(graph.nodes[n].config));
  for (const topo::Link& link : graph.links) {
    const int group = groups.of_node[link.a.node];
    if (group != groups.of_node[link.b.node]) continue;
    out[at(group)] += fmt::format("{}.{} - {}.{} = {} {} {}\n", short_name(graph.nodes[link.a.node].name), link.a.port,
                                  short_name(graph.nodes[link.b.node].name), link.b.port, values.of(link.wire),
                                  link.rate ? link.rate->bytes_per_second() : -1, link.flight ? link.flight->fs() : -1);
  }
  return out;
}

/// Nodes by sort, in the order of the machine.
std::vector<std::vector<int>> sorts_of(const Groups& groups, const std::vector<std::string>& signature) {
  std::map<std::string, std::size_t> numbers;
  std::vector<std::vector<int>> out;
  for (std::size_t g = 0; g < groups.all.size(); ++g) {
    if (!groups.all[g].framed) continue;
    const auto [it, is_new] = numbers.emplace(signature[g], out.size());
    if (is_new) out.emplace_back();
    out[it->second].push_back(static_cast<int>(g));
  }
  return out;
}

std::string title_of(const Groups& groups, const std::vector<int>& equal) {
  std::vector<std::string> others;
  for (std::size_t i = 1; i < equal.size(); ++i) others.push_back(groups.all[at(equal[i])].name);
  const std::string& name = groups.all[at(equal[0])].name;
  if (others.empty()) return name;
  std::string range = range_text(others);
  if (range.empty()) range = fmt::format("{} others", others.size());
  return fmt::format("{}; {} {} the same", name, range, others.size() == 1 ? "is" : "are");
}

Inside inside_of(const topo::Graph& graph, const Groups& groups, const std::vector<int>& equal) {
  const int group = equal.front();
  Inside out{title_of(groups, equal), {}, {}, {}, {}};
  std::map<std::uint32_t, std::uint32_t> numbers;
  for (const auto n : groups.all[at(group)].nodes) {
    numbers[n] = static_cast<std::uint32_t>(out.nodes.size());
    out.nodes.push_back(n);
    out.graph.nodes.push_back({graph.nodes[n].name, graph.nodes[n].config, graph.nodes[n].pointer});
  }
  const auto outside = static_cast<std::uint32_t>(out.nodes.size());
  out.graph.nodes.push_back({"outside", config::AnyConfig("outside", nullptr), ""});
  for (std::size_t l = 0; l < graph.links.size(); ++l) {
    topo::Link link = graph.links[l];
    const bool a = groups.of_node[link.a.node] == group;
    const bool b = groups.of_node[link.b.node] == group;
    if (!a && !b) continue;
    if (!a) std::swap(link.a, link.b);  // the outside is the second end
    out.targets.push_back(a && b ? "" : groups.all[at(groups.of_node[link.b.node])].name);
    link.a.node = numbers.at(link.a.node);
    link.b.node = a && b ? numbers.at(link.b.node) : outside;
    out.graph.links.push_back(link);
    out.links.push_back(l);
  }
  return out;
}

/// The machine with a node for each group.
Condensed of_groups(const topo::Graph& graph, const Groups& groups, const std::vector<int>& sort_of_group) {
  Condensed out;
  out.graph.networks = graph.networks;
  std::map<std::string, int> kinds;
  for (std::size_t g = 0; g < groups.all.size(); ++g) {
    const Group& group = groups.all[g];
    const topo::Node& first = graph.nodes[group.nodes.front()];
    topo::Node node{group.name, first.config, first.pointer, first.places};
    if (group.framed) {
      node = {group.name, config::AnyConfig("node", nullptr), first.pointer, {}};
      for (const auto n : group.nodes)
        node.places.insert(node.places.end(), graph.nodes[n].places.begin(), graph.nodes[n].places.end());
    }
    out.graph.nodes.push_back(std::move(node));
    out.nodes.push_back({{group.nodes.begin(), group.nodes.end()}, {group.name}});
    out.sorts.push_back(group.framed
                            ? sort_of_group[g]
                            : kinds.emplace(first.config.kind(), -1 - static_cast<int>(kinds.size())).first->second);
  }
  for (std::size_t l = 0; l < graph.links.size(); ++l) {
    topo::Link link = graph.links[l];
    if (groups.of_node[link.a.node] == groups.of_node[link.b.node]) continue;
    for (topo::End* end : {&link.a, &link.b}) {
      const int group = groups.of_node[end->node];
      if (groups.all[at(group)].framed) end->port = short_name(graph.nodes[end->node].name) + "." + end->port;
      end->node = static_cast<std::uint32_t>(group);
    }
    out.graph.links.push_back(link);
    out.links.push_back({l});
  }
  return out;
}

/// The number at the end of a name, and what is before it; -1: there is none.
std::pair<std::string, long> numbered(const std::string& name) {
  const auto digits = name.find_last_not_of("0123456789") + 1;
  if (digits == name.size() || name.size() - digits > 9) return {name, -1};
  return {name.substr(0, digits), std::stol(name.substr(digits))};
}

}  // namespace

std::string range_text(const std::vector<std::string>& names) {
  if (names.size() == 1) return names.front();
  const auto [stem, first] = numbered(names.front());
  for (std::size_t i = 0; i < names.size(); ++i)
    if (first < 0 || numbered(names[i]) != std::pair(stem, first + static_cast<long>(i))) return "";
  return names.size() == 2 ? names.front() + " and " + short_name(names.back())
                           : names.front() + "–" + short_name(names.back());
}

Condensed unchanged(const topo::Graph& graph) {
  Condensed out;
  out.graph = graph;
  std::map<std::string, int> kinds;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    out.nodes.push_back({{n}, {graph.nodes[n].name}});
    out.sorts.push_back(kinds.emplace(graph.nodes[n].config.kind(), -1 - static_cast<int>(kinds.size())).first->second);
  }
  for (std::size_t l = 0; l < graph.links.size(); ++l) out.links.push_back({l});
  return out;
}

Condensed condense(const topo::Graph& graph) {
  const Groups groups = groups_of(graph);
  const std::vector<std::vector<int>> sorts = sorts_of(groups, signatures(graph, groups));
  std::size_t most = 0;
  for (const auto& equal : sorts) most = std::max(most, equal.size());
  if (most < least_equal || sorts.size() > most_sorts) return unchanged(graph);
  std::vector<int> sort_of_group(groups.all.size(), -1);
  for (std::size_t s = 0; s < sorts.size(); ++s)
    for (const int g : sorts[s]) sort_of_group[at(g)] = static_cast<int>(s);
  Condensed out = of_groups(graph, groups, sort_of_group);
  for (const auto& equal : sorts) out.insides.push_back(inside_of(graph, groups, equal));
  return out;
}

}  // namespace tsunagi::draw
