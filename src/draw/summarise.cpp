// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "draw/condense.hpp"
#include "draw/groups.hpp"
#include "draw/looks.hpp"
#include "topo/crossbars_shape.hpp"
#include "units/parse.hpp"

namespace tsunagi::draw {
namespace {

/// What wires are; links of a network share one config.
class WireTexts {
 public:
  std::string of(const topo::Link& link) {
    const auto [it, is_new] = seen_.emplace(link.wire.object(), "");
    if (is_new) it->second = fmt::format("{}", fmt::join(wire_lines(link.wire), " "));
    return link.rate ? it->second + " of " + to_string(*link.rate) : it->second;
  }

 private:
  std::map<const config::ConfigObject*, std::string> seen_;  // looked up, never walked
};

/// Neighbours by number, with what joins them.
using Neighbours = std::vector<std::map<std::size_t, std::string>>;

Neighbours neighbours_of(const Condensed& c) {
  Neighbours out(c.nodes.size());
  WireTexts wires;
  for (std::size_t l = 0; l < c.links.size(); ++l) {
    const topo::Link& link = c.graph.links[l];
    const std::string what = fmt::format("{} of {};", c.links[l].size(), wires.of(link));
    out[link.a.node][link.b.node] += what;
    out[link.b.node][link.a.node] += what;
  }
  return out;
}

std::string sort_text(const Condensed& c, std::size_t n) {
  return fmt::format("{}x{} ", c.sorts[n], c.nodes[n].names.size());
}

/// Nodes of the same key that is not empty become one; links between the same two, too.
void merge(Condensed& c, const std::vector<std::string>& keys) {
  Condensed out;
  std::map<std::string, std::size_t> numbers;
  std::vector<std::uint32_t> of_node;
  for (std::size_t n = 0; n < c.nodes.size(); ++n) {
    const std::string key = keys[n].empty() ? fmt::format("alone {}", n) : keys[n];
    const auto [it, is_new] = numbers.emplace(key, out.nodes.size());
    of_node.push_back(static_cast<std::uint32_t>(it->second));
    if (is_new) {
      out.graph.nodes.push_back(c.graph.nodes[n]);
      out.nodes.emplace_back();
      out.sorts.push_back(c.sorts[n]);
    }
    Members& members = out.nodes[it->second];
    members.devices.insert(members.devices.end(), c.nodes[n].devices.begin(), c.nodes[n].devices.end());
    members.names.insert(members.names.end(), c.nodes[n].names.begin(), c.nodes[n].names.end());
  }
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::string>, std::size_t> between;
  WireTexts wires;
  for (std::size_t l = 0; l < c.links.size(); ++l) {
    topo::Link link = c.graph.links[l];
    link.a.node = of_node[link.a.node];
    link.b.node = of_node[link.b.node];
    const auto ends = std::minmax(link.a.node, link.b.node);
    const auto [it, is_new] = between.emplace(std::tuple(ends.first, ends.second, wires.of(link)), out.links.size());
    if (is_new) {
      out.graph.links.push_back(link);
      out.links.emplace_back();
    }
    out.links[it->second].insert(out.links[it->second].end(), c.links[l].begin(), c.links[l].end());
  }
  out.insides = std::move(c.insides);
  c = std::move(out);
}

/// Equal nodes with the same neighbours.
std::vector<std::string> twins(const Condensed& c) {
  const Neighbours next = neighbours_of(c);
  std::vector<std::string> keys;
  for (std::size_t n = 0; n < c.nodes.size(); ++n) {
    keys.push_back(sort_text(c, n));
    for (const auto& [m, what] : next[n]) keys[n] += fmt::format("{} {}", m, what);
  }
  return keys;
}

/// Equal nodes with equal ends below them and the same other neighbours; their ends with them.
std::vector<std::string> twins_with_ends(const Condensed& c) {
  const Neighbours next = neighbours_of(c);
  std::vector<std::string> keys(c.nodes.size());
  for (std::size_t n = 0; n < c.nodes.size(); ++n) {
    if (next[n].size() < 2) continue;
    std::multiset<std::string> ends;
    std::string others;
    for (const auto& [m, what] : next[n])
      if (next[m].size() == 1)
        ends.insert(sort_text(c, m) + what);
      else
        others += fmt::format("{} {}", m, what);
    keys[n] = fmt::format("{}{} above {}", sort_text(c, n), others, fmt::join(ends, ", "));
  }
  for (std::size_t n = 0; n < c.nodes.size(); ++n)
    if (next[n].size() == 1 && next[next[n].begin()->first].size() > 1)
      keys[n] = fmt::format("{}{}below {}", sort_text(c, n), next[n].begin()->second, keys[next[n].begin()->first]);
  return keys;
}

/// Equal nodes above the same ones of the level below; level 0 are the ends of the network.
std::vector<std::string> same_below(const Condensed& c) {
  const Neighbours next = neighbours_of(c);
  std::vector<int> level(c.nodes.size(), -1);
  std::vector<std::size_t> queue;
  for (std::size_t n = 0; n < c.nodes.size(); ++n)
    if (next[n].size() == 1 || c.graph.nodes[n].config.kind() == "node") {
      level[n] = 0;
      queue.push_back(n);
    }
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (const auto& [m, what] : next[queue[i]])
      if (level[m] < 0) {
        level[m] = level[queue[i]] + 1;
        queue.push_back(m);
      }
  std::vector<std::string> keys(c.nodes.size());
  for (std::size_t n = 0; n < c.nodes.size(); ++n) {
    if (level[n] < 1) continue;
    std::string below;
    for (const auto& [m, what] : next[n])
      if (level[m] == level[n] - 1) below += fmt::format("{} {}", m, what);
    keys[n] = fmt::format("{}{} of {} above {}", sort_text(c, n), level[n], next[n].size(), below);
  }
  return keys;
}

/// Of crossbars in a box what lies at the same place of every plane: the crossbars across the planes are left.
std::vector<std::string> planes(const Condensed& c) {
  using topo::Place;
  if (c.graph.networks.size() != 1) return {};
  const topo::CrossbarsShape* shape = topo::crossbars_shape(*c.graph.networks[0]);
  if (shape == nullptr || shape->crossed().size() != 3) return {};
  const int plane = shape->size(0) * shape->size(1);
  std::vector<std::string> keys;
  for (const topo::Node& node : c.graph.nodes) {
    const Place* router = topo::place_as(Place::Role::router, node.places);
    const Place* terminal = topo::place_as(Place::Role::terminal, node.places);
    if (router == nullptr && terminal == nullptr) return {};
    const int r = router == nullptr ? -1 : router->number;
    const auto line = [&](int d) { return (r - shape->first_crossbar(d)) % (plane / shape->size(d)); };
    if (r < 0)
      keys.push_back(fmt::format("terminal {}", terminal->number % plane));
    else if (r < shape->nodes())
      keys.push_back(fmt::format("relay {}", r % plane));
    else if (r < shape->first_crossbar(1))
      keys.push_back(fmt::format("x {}", line(0)));
    else
      keys.push_back(r < shape->first_crossbar(2) ? fmt::format("y {}", line(1)) : "");
  }
  return keys;
}

/// Names of what has been merged, which is no part of a group.
void name_stacks(Condensed& c) {
  for (std::size_t n = 0; n < c.nodes.size(); ++n) {
    std::string& name = c.graph.nodes[n].name;
    name = range_text(c.nodes[n].names);
    if (name.empty()) name = c.nodes[n].names.front() + " …";
    std::replace(name.begin(), name.end(), '.', ' ');
  }
}

}  // namespace

void summarise(Condensed& whole, std::size_t most) {
  Condensed c = whole;
  const std::size_t all = c.nodes.size();
  if (const std::vector<std::string> keys = planes(c); all > most && !keys.empty()) {
    merge(c, keys);
    name_stacks(c);
    c.graph.networks = whole.graph.networks;  // it still has its shape
    whole = std::move(c);
    return;
  }
  const auto too_many = [&] { return c.nodes.size() > most || (c.nodes.size() < all && c.links.size() > most); };
  for (std::size_t before = all + 1; too_many() && c.nodes.size() < before;) {
    before = c.nodes.size();
    for (const auto& keys : {twins, twins_with_ends, same_below})
      if (too_many()) merge(c, keys(c));
  }
  if (c.nodes.size() == all) return;
  name_stacks(c);
  for (topo::Node& node : c.graph.nodes) node.places.clear();  // what is merged has no place of its own
  c.graph.networks.clear();
  whole = std::move(c);
}

}  // namespace tsunagi::draw
