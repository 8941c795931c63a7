// SPDX-License-Identifier: Apache-2.0
#include "box/places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <stdexcept>

#include "box/nvlink.hpp"
#include "box/words.hpp"
#include "config/config.hpp"

namespace tsunagi::box {
namespace {

struct OnePart {
  config::AnyConfig part;
  const char* family;
};
void describe(OnePart& c, config::Describer& d) { d.any("part", c.part, c.family, "a part"); }

std::string prefix_of(const std::string& device) {
  const auto dot = device.rfind('.');
  return dot == std::string::npos ? "" : device.substr(0, dot);
}

bool is_kind(const topo::Graph& g, std::uint32_t node, const char* kind) { return g.nodes[node].config.kind() == kind; }

/// The root complex that a core or a memory is wired to.
std::optional<std::uint32_t> beside(const topo::Graph& g, std::uint32_t node) {
  for (const topo::Link& l : g.links) {
    if (l.a.node == node && is_kind(g, l.b.node, "root_complex")) return l.b.node;
    if (l.b.node == node && is_kind(g, l.a.node, "root_complex")) return l.a.node;
  }
  return std::nullopt;
}

/// The PCIe wires from a card up to a root complex, by way of switches alone; empty: there is no such way.
std::vector<std::size_t> way_up(const topo::Graph& g, std::uint32_t card, std::uint32_t& root) {
  struct Step {
    std::uint32_t node;
    std::vector<std::size_t> way;
  };
  std::vector<Step> open{{card, {}}};
  std::set<std::uint32_t> seen{card};
  for (std::size_t i = 0; i < open.size(); ++i) {
    const Step here = open[i];
    if (here.node != card && is_kind(g, here.node, "root_complex")) {
      root = here.node;
      return here.way;
    }
    if (here.node != card && !is_kind(g, here.node, "pcie_switch")) continue;
    for (std::size_t l = 0; l < g.links.size(); ++l) {
      const topo::Link& link = g.links[l];
      if (link.wire.kind() != "pcie" || (link.a.node != here.node && link.b.node != here.node)) continue;
      const std::uint32_t there = link.a.node == here.node ? link.b.node : link.a.node;
      if (!seen.insert(there).second) continue;
      open.push_back({there, here.way});
      open.back().way.push_back(l);
    }
  }
  return {};
}

std::optional<Place::Kind> kind_of(const std::string& kind) {
  if (kind == "gpu") return Place::Kind::gpu;
  if (kind == "exerciser") return Place::Kind::card;
  if (kind == "hca") return Place::Kind::adapter;
  return std::nullopt;
}

std::string short_name(const Server& s, const std::string& device) {
  return s.node.empty() ? device : device.substr(s.node.size() + 1);
}

}  // namespace

std::vector<std::size_t> way_between(const topo::Graph& g, const Place& a, const Place& b) {
  std::vector<std::size_t> out = nvlink_way(g, a, b).all;
  if (!out.empty()) return out;
  const auto own = [&](const Place& p, const Place& other) {
    for (const std::size_t l : p.uplink)
      if (std::find(other.uplink.begin(), other.uplink.end(), l) == other.uplink.end()) out.push_back(l);
    if (p.kind != Place::Kind::memory) return;
    for (std::size_t l = 0; l < g.links.size(); ++l)
      if (g.links[l].a.node == p.node || g.links[l].b.node == p.node) out.push_back(l);
  };
  own(a, b);
  own(b, a);
  if (a.root_complex == b.root_complex) return out;
  for (std::size_t l = 0; l < g.links.size(); ++l)
    if (is_kind(g, g.links[l].a.node, "root_complex") && is_kind(g, g.links[l].b.node, "root_complex"))
      out.push_back(l);
  return out;
}

nlohmann::ordered_json fields_of(const config::AnyConfig& part, const char* family) {
  OnePart one{part, family};
  return config::resolved(one)["part"];
}

std::string wire_name(const topo::Link& link) {
  if (link.wire.kind() != "pcie" && link.wire.kind() != "nvlink" && link.wire.kind() != "infiniband")
    return link.wire.kind();
  const nlohmann::ordered_json fields = fields_of(link.wire, "wire");
  if (link.wire.kind() == "nvlink") return fmt::format("NVLink {}", fields.value("generation", 0));
  if (link.wire.kind() == "infiniband")
    return fmt::format("InfiniBand {} {}x", upper(fields.value("speed", "")), fields.value("width", 0));
  return fmt::format("PCIe Gen{} x{}", fields.value("generation", 0), fields.value("lanes", 0));
}

std::string Server::core_of(const Place& p) const {
  for (const Core& c : cores)
    if (c.root_complex == p.root_complex) return c.name;
  return "";
}

const Place* Server::memory_of(const Place& p) const {
  for (const Place& m : places)
    if (m.kind == Place::Kind::memory && m.root_complex == p.root_complex) return &m;
  return nullptr;
}

const Place* Server::find(const std::string& name) const {
  const auto at = std::find_if(places.begin(), places.end(), [&](const Place& p) { return p.name == name; });
  return at == places.end() ? nullptr : &*at;
}

Server server_of(const topo::Graph& g) {
  Server out;
  std::set<std::string> prefixes;
  const auto nodes = static_cast<std::uint32_t>(g.nodes.size());
  for (std::uint32_t n = 0; n < nodes; ++n) {
    const auto root = is_kind(g, n, "memory") ? beside(g, n) : std::nullopt;
    if (!root) continue;
    const std::string prefix = prefix_of(g.nodes[n].name);
    if (prefixes.empty()) out.node = prefix;
    prefixes.insert(prefix);
    if (prefix == out.node)
      out.places.push_back({short_name(out, g.nodes[n].name), g.nodes[n].name, Place::Kind::memory, n, *root, {}});
  }
  if (out.places.empty()) throw std::invalid_argument("the machine has no memory at a root complex: it is no server");
  out.others = prefixes.size() - 1;
  const std::size_t memories = out.places.size();
  for (const auto wanted : {Place::Kind::gpu, Place::Kind::card, Place::Kind::adapter})
    for (std::uint32_t n = 0; n < nodes; ++n) {
      if (kind_of(g.nodes[n].config.kind()) != wanted || prefix_of(g.nodes[n].name) != out.node) continue;
      Place p{short_name(out, g.nodes[n].name), g.nodes[n].name, wanted, n, 0, {}};
      p.uplink = way_up(g, n, p.root_complex);
      if (!p.uplink.empty()) out.places.push_back(p);
    }
  if (out.places.size() == memories)
    throw std::invalid_argument("no GPU and no card of the machine is wired to a root complex by PCIe");
  for (std::uint32_t n = 0; n < nodes; ++n)
    if (is_kind(g, n, "core") && prefix_of(g.nodes[n].name) == out.node)
      if (const auto root = beside(g, n)) out.cores.push_back({short_name(out, g.nodes[n].name), n, *root});
  return out;
}

}  // namespace tsunagi::box
