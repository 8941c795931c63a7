// SPDX-License-Identifier: Apache-2.0
#include "box/nvlink.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tsunagi::box {
namespace {

bool is_nvlink(const topo::Link& l) { return l.wire.kind() == "nvlink"; }

/// Ports are numbered: "nvlink2" comes before "nvlink10".
bool before(const std::string& a, const std::string& b) { return a.size() != b.size() ? a.size() < b.size() : a < b; }

struct OwnLink {
  std::string port;
  std::size_t link = 0;
  std::uint32_t there = 0;
};

/// A device's links by NVLink, in the order of its ports.
std::vector<OwnLink> links_of(const topo::Graph& g, std::uint32_t node) {
  std::vector<OwnLink> out;
  for (std::size_t l = 0; l < g.links.size(); ++l) {
    const topo::Link& link = g.links[l];
    if (!is_nvlink(link) || (link.a.node != node && link.b.node != node)) continue;
    const bool at_a = link.a.node == node;
    out.push_back({at_a ? link.a.port : link.b.port, l, at_a ? link.b.node : link.a.node});
  }
  std::sort(out.begin(), out.end(), [](const OwnLink& x, const OwnLink& y) { return before(x.port, y.port); });
  return out;
}

}  // namespace

NvlinkWay nvlink_way(const topo::Graph& g, const Place& a, const Place& b) {
  NvlinkWay out;
  if (a.kind != Place::Kind::gpu || b.kind != Place::Kind::gpu) return out;
  const std::vector<OwnLink> own = links_of(g, a.node);
  const std::vector<OwnLink> others = links_of(g, b.node);
  std::vector<std::size_t> beyond;
  const auto leads_to_b = [&](const OwnLink& l) {
    if (l.there == b.node) return true;
    return g.nodes[l.there].config.kind() == "nvswitch" &&
           std::any_of(others.begin(), others.end(), [&](const OwnLink& o) { return o.there == l.there; });
  };
  for (const OwnLink& l : own)
    if (leads_to_b(l)) out.all.push_back(l.link);
  out.links = out.all.size();
  for (const OwnLink& o : others)
    if (o.there != a.node &&
        std::any_of(own.begin(), own.end(), [&](const OwnLink& l) { return l.there == o.there && leads_to_b(l); }))
      out.all.push_back(o.link);
  return out;
}

bool has_nvlink(const topo::Graph& g) { return std::any_of(g.links.begin(), g.links.end(), is_nvlink); }

std::string said_of(const topo::Graph& g, const NvlinkWay& way) {
  return fmt::format("over {} {} of {}", way.links, way.links == 1 ? "link" : "links",
                     wire_name(g.links[way.all.front()]));
}

}  // namespace tsunagi::box
