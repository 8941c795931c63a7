// SPDX-License-Identifier: Apache-2.0
#include "draw/groups.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "draw/looks.hpp"

namespace tsunagi::draw {
namespace {

using List = std::vector<Group>;

/// Distance of each group from the nearest of `sources`; -1 where none is reached.
std::vector<int> distances(const List& all, const std::vector<int>& sources) {
  std::vector<int> out(all.size(), -1);
  std::vector<int> queue = sources;
  for (const int s : sources) out[at(s)] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (const int n : all[at(queue[i])].neighbours)
      if (out[at(n)] < 0) {
        out[at(n)] = out[at(queue[i])] + 1;
        queue.push_back(n);
      }
  return out;
}

/// Groups in the order of a walk from `start`, deep first, each neighbour in ascending order; `without` is left out.
std::vector<int> walk(const List& all, int start, int without = -1) {
  std::vector<int> order;
  std::vector<bool> seen(all.size(), false);
  if (without >= 0) seen[at(without)] = true;
  std::vector<int> stack{start};
  while (!stack.empty()) {
    const int here = stack.back();
    stack.pop_back();
    if (seen[at(here)]) continue;
    seen[at(here)] = true;
    order.push_back(here);
    const auto& next = all[at(here)].neighbours;
    stack.insert(stack.end(), next.rbegin(), next.rend());
  }
  return order;
}

/// The group whose farthest other group is nearest.
int middle(const List& all) {
  int best = 0;
  int best_reach = -1;
  for (int g = 0; g < static_cast<int>(all.size()); ++g) {
    const std::vector<int> d = distances(all, {g});
    const int reach = *std::max_element(d.begin(), d.end());
    if (best_reach < 0 || reach < best_reach) {
      best = g;
      best_reach = reach;
    }
  }
  return best;
}

Arrangement tree(const List& all) {
  Arrangement out{Shape::layers, {}, -1, {}};
  const int root = middle(all);
  out.order = walk(all, root);
  out.levels = distances(all, {root});
  const int deepest = *std::max_element(out.levels.begin(), out.levels.end());
  for (int& level : out.levels) level = deepest - level;
  return out;
}

/// What switches stand above: nodes; where there are none, devices with one neighbour.
std::vector<int> hosts_of(const List& all) {
  std::vector<int> nodes;
  std::vector<int> ends;
  for (int g = 0; g < static_cast<int>(all.size()); ++g) {
    if (all[at(g)].is_node) nodes.push_back(g);
    if (all[at(g)].neighbours.size() == 1) ends.push_back(g);
  }
  return nodes.empty() ? ends : nodes;
}

/// Switches in levels above the hosts, links only between neighbouring levels (a fat tree).
std::optional<Arrangement> levels(const List& all) {
  Arrangement out{Shape::layers, {}, -1, {}};
  const std::vector<int> hosts = hosts_of(all);
  if (hosts.empty() || hosts.size() == all.size()) return {};
  out.levels = distances(all, hosts);
  for (int g = 0; g < static_cast<int>(all.size()); ++g) {
    if (out.levels[at(g)] < 0) return {};
    for (const int n : all[at(g)].neighbours)
      if (std::abs(out.levels[at(g)] - out.levels[at(n)]) != 1) return {};
    out.order.push_back(g);
  }
  return out;
}

/// A group linked to all others, if there is one; of several none is the hub.
int hub_of(const List& all) {
  int hub = -1;
  for (int g = 0; g < static_cast<int>(all.size()); ++g) {
    if (all[at(g)].neighbours.size() + 1 != all.size()) continue;
    if (hub >= 0) return -1;
    hub = g;
  }
  return all.size() >= 4 ? hub : -1;
}

Arrangement star(const List& all, int hub) {
  Arrangement out{Shape::star, {}, hub, {}};
  std::vector<bool> placed(all.size(), false);
  placed[at(hub)] = true;
  for (int g = 0; g < static_cast<int>(all.size()); ++g) {
    if (placed[at(g)]) continue;
    for (const int n : walk(all, g, hub)) {
      out.order.push_back(n);
      placed[at(n)] = true;
    }
  }
  return out;
}

/// Whether the first half of the groups are a ring, the second half another, and equal places are linked.
bool are_two_rings(const List& all) {
  const auto length = static_cast<int>(all.size() / 2);
  if (length < 3 || all.size() % 2 != 0) return false;
  for (int g = 0; g < 2 * length; ++g) {
    const int first = g < length ? 0 : length;
    std::vector<int> expected{first + (g - first + 1) % length, first + (g - first + length - 1) % length,
                              g < length ? g + length : g - length};
    std::sort(expected.begin(), expected.end());
    if (all[at(g)].neighbours != expected) return false;
  }
  return true;
}

}  // namespace

Groups groups_of(const topo::Graph& graph) {
  Groups out;
  std::map<std::string, int> by_name;
  for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
    const std::string& name = graph.nodes[n].name;
    const bool alone = is_router(graph.nodes[n]);
    const auto [it, is_new] = by_name.emplace(alone ? name : group_of(name), static_cast<int>(out.all.size()));
    if (is_new) out.all.push_back({it->first, false, false, {}, {}});
    Group& group = out.all[at(it->second)];
    group.framed = group.framed || (!alone && name.find('.') != std::string::npos);
    group.is_node = group.framed || graph.nodes[n].config.kind() == "node";
    group.nodes.push_back(n);
    out.of_node.push_back(it->second);
  }
  std::vector<std::set<int>> neighbours(out.all.size());
  for (const topo::Link& link : graph.links) {
    const int a = out.of_node[link.a.node];
    const int b = out.of_node[link.b.node];
    if (a == b) continue;
    neighbours[at(a)].insert(b);
    neighbours[at(b)].insert(a);
  }
  for (std::size_t g = 0; g < out.all.size(); ++g)
    out.all[g].neighbours.assign(neighbours[g].begin(), neighbours[g].end());
  return out;
}

Arrangement arrange(const Groups& groups) {
  const List& all = groups.all;
  Arrangement out;
  out.order.resize(all.size());
  std::iota(out.order.begin(), out.order.end(), 0);
  if (all.size() < 2) return out;
  std::size_t edges = 0;
  std::size_t most = 0;
  int end = 0;  // a group at an end of the path, if it is one
  for (std::size_t g = all.size(); g-- > 0;) {
    edges += all[g].neighbours.size();
    most = std::max(most, all[g].neighbours.size());
    if (all[g].neighbours.size() == 1) end = static_cast<int>(g);
  }
  edges /= 2;
  if (walk(all, 0).size() == all.size()) {
    if (const int hub = hub_of(all); hub >= 0) return star(all, hub);
    if (most <= 2) return {edges < all.size() ? Shape::line : Shape::circle, walk(all, end), -1, {}};
    if (edges + 1 == all.size()) return tree(all);
    if (auto found = levels(all)) return *found;
    if (are_two_rings(all)) out.shape = Shape::rings;
  }
  return out;
}

}  // namespace tsunagi::draw
