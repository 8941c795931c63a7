// SPDX-License-Identifier: Apache-2.0
#include "models/peach2/placement.hpp"

namespace tsunagi::peach2 {

namespace {

PortIndex port_of(topo::Rings::Way way) {
  using Way = topo::Rings::Way;
  return way == Way::east ? east : way == Way::west ? west : way == Way::south ? south : north;
}

}  // namespace

Peach2Config placed(Peach2Config c, const topo::Rings& rings, int node) {
  if (!c.routes.empty())
    throw config::error_at("/machine/topology/node", "a PEACH2 in topology tca has no \"routes\" of its own");
  c.node = node;
  c.nodes = rings.nodes();
  c.south_role = rings.ring_of(node) == 0 ? net::LinkRole::root_complex : net::LinkRole::endpoint;
  if (!rings.closed()) c.bubble = 0;
  for (int to = 0; to < rings.nodes(); ++to) {
    if (to == node) continue;
    const PortIndex port = port_of(rings.way(node, to));
    if (!c.routes.empty() && c.routes.back().port == port && c.routes.back().last == to - 1)
      c.routes.back().last = to;
    else
      c.routes.push_back({port, to, to});
  }
  return c;
}

std::vector<std::uint8_t> bubble(int packets, int out, int sources) {
  if (packets == 0 || (out != east && out != west)) return {};
  std::vector<std::uint8_t> reserve(static_cast<std::size_t>(sources), static_cast<std::uint8_t>(packets));
  reserve[static_cast<std::size_t>(out == east ? west : east)] = 0;
  return reserve;
}

}  // namespace tsunagi::peach2
