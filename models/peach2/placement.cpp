// SPDX-License-Identifier: Apache-2.0
#include "models/peach2/placement.hpp"

namespace tsunagi::peach2 {

namespace {

using topo::Network;

PortIndex port_of(const Network& network, int chip, int port) {
  const std::string& name = network.port_name(chip, port);
  if (name == "e") return east;
  if (name == "w") return west;
  if (name == "s") return south;
  throw config::error_at(network.pointer(), "PEACH2 chips have cables at ports \"e\", \"w\" and \"s\", not \"" + name +
                                                "\"; their topology is tca");
}

/// Of a router's port of that name; nothing if there is none.
Network::Peer peer_at(const Network& network, int router, const std::string& port) {
  for (int p = 0; p < network.ports(router); ++p)
    if (network.port_name(router, p) == port) return network.peer(router, p);
  return {};
}

/// Whether who goes east and east from `chip` comes round.
bool in_ring(const Network& network, int chip) {
  int at = chip;
  for (int steps = 0; steps < network.routers(); ++steps) {
    const Network::Peer next = peer_at(network, at, "e");
    if (next.kind != Network::Peer::Kind::router) return false;
    at = next.number;
    if (at == chip) return true;
  }
  return false;
}

}  // namespace

Peach2Config placed(Peach2Config c, const topo::Place& place) {
  const Network& network = *place.network;
  const int node = place.number;
  if (!c.routes.empty())
    throw config::error_at(network.pointer(), "a PEACH2 in a network has no \"routes\" of its own");
  c.node = node;
  c.nodes = network.terminals();
  const Network::Peer south = peer_at(network, node, "s");
  c.south_role =
      south.kind == Network::Peer::Kind::nothing || south.first ? net::LinkRole::root_complex : net::LinkRole::endpoint;
  if (!in_ring(network, node)) c.bubble = 0;
  for (int to = 0; to < c.nodes; ++to) {
    if (to == node) continue;
    const PortIndex port = port_of(network, node, network.routes().next(node, topo::trip_of(node, to)).port);
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
