// SPDX-License-Identifier: Apache-2.0
#include "topo/graphs/groups.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace tsunagi::topo {

namespace {

/// Length of the group's part of a device's name, without the last dot.
std::size_t group_length(const std::string& name) {
  const auto dot = name.rfind('.');
  return dot == std::string::npos ? 0 : dot;
}

/// Length of what the groups of two devices have in common, whole parts only.
std::size_t common_length(const std::string& a, const std::string& b) {
  const std::size_t end_a = group_length(a);
  const std::size_t end_b = group_length(b);
  std::size_t common = 0;
  for (std::size_t i = 0; i <= std::min(end_a, end_b); ++i) {
    const bool part_a = i == end_a || a[i] == '.';
    const bool part_b = i == end_b || b[i] == '.';
    if (part_a && part_b) common = i;
    if (part_a != part_b || i == end_a || i == end_b || a[i] != b[i]) break;
  }
  return common;
}

/// Groups by their full names, made as they are asked for. Indices, because groups move while others are added.
class Tree {
 public:
  Group take() {
    for (std::size_t i = flat_.size(); i-- > 1;) {
      std::reverse(flat_[i].groups.begin(), flat_[i].groups.end());
      flat_[parents_[i]].groups.push_back(std::move(flat_[i]));
    }
    std::reverse(flat_[0].groups.begin(), flat_[0].groups.end());
    return std::move(flat_[0]);
  }
  Group& of(const std::string& full_name) { return flat_[index_of(full_name)]; }

 private:
  std::size_t index_of(const std::string& full_name) {
    if (full_name.empty()) return 0;
    if (const auto it = by_name_.find(full_name); it != by_name_.end()) return it->second;
    const std::size_t parent = index_of(full_name.substr(0, group_length(full_name)));
    flat_.push_back({own_name(full_name), {}, {}, {}});
    parents_.push_back(parent);
    return by_name_[full_name] = flat_.size() - 1;
  }

  std::vector<Group> flat_{1};  // a group stands behind its parent
  std::vector<std::size_t> parents_{0};
  std::unordered_map<std::string, std::size_t> by_name_;  // looked up only, never walked
};

}  // namespace

std::string own_name(const std::string& name) {
  const std::size_t n = group_length(name);
  return n == 0 ? name : name.substr(n + 1);
}

Group group_of(const Graph& graph) {
  Tree tree;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const std::string& name = graph.nodes[i].name;
    tree.of(name.substr(0, group_length(name))).nodes.push_back(static_cast<std::uint32_t>(i));
  }
  for (std::size_t i = 0; i < graph.links.size(); ++i) {
    const std::string& a = graph.nodes[graph.links[i].a.node].name;
    const std::string& b = graph.nodes[graph.links[i].b.node].name;
    tree.of(a.substr(0, common_length(a, b))).links.push_back(static_cast<std::uint32_t>(i));
  }
  return tree.take();
}

std::string link_name(const Graph& graph, const Link& link) {
  const std::string& a = graph.nodes[link.a.node].name;
  const std::string& b = graph.nodes[link.b.node].name;
  const std::size_t common = common_length(a, b);
  const std::size_t from = common == 0 ? 0 : common + 1;
  std::string out = a.substr(from) + "." + link.a.port + ".." + b.substr(from) + "." + link.b.port;
  std::replace(out.begin(), out.end(), '.', '_');
  return out;
}

std::string connected_twice(const Graph& graph, const End& port) {
  const auto name = [&graph](const End& e) { return graph.nodes[e.node].name + "." + e.port; };
  const auto is_it = [&port](const End& e) { return e.node == port.node && e.port == port.port; };
  std::string peers;
  for (const Link& l : graph.links)
    for (const auto& [here, there] : {std::pair(&l.a, &l.b), std::pair(&l.b, &l.a)})
      if (is_it(*here)) peers += (peers.empty() ? "to " : " and to ") + name(*there);
  return "port " + name(port) + " is connected twice: " + peers;
}

}  // namespace tsunagi::topo
