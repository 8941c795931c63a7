// SPDX-License-Identifier: Apache-2.0
#include "topo/network.hpp"

#include <stdexcept>

namespace tsunagi::topo {

int Network::add_router(config::AnyConfig config, PortNames ports, std::string pointer, std::string name) {
  first_peer_.push_back(peers_.size());
  peers_.resize(peers_.size() + ports->size());
  routers_.push_back({std::move(config), std::move(ports), std::move(pointer), std::move(name)});
  return routers() - 1;
}

std::string Network::router_name(int r) const {
  const std::string& own = router(r).name;
  return own.empty() ? "router" + std::to_string(r) : own;
}

Network::Peer& Network::claim(RouterPort p) {
  if (p.router < 0 || p.router >= routers() || p.port < 0 || p.port >= ports(p.router))
    throw std::logic_error("a network without router " + std::to_string(p.router) + " port " + std::to_string(p.port));
  Peer& peer = peers_[port_index(p.router, p.port)];
  if (peer.kind != Peer::Kind::nothing)
    throw std::logic_error("port " + port_name(p.router, p.port) + " of " + router_name(p.router) + " is taken");
  return peer;
}

void Network::join(RouterPort a, RouterPort b, WireUse wire) {
  claim(a) = {Peer::Kind::router, true, b.router, b.port};
  claim(b) = {Peer::Kind::router, false, a.router, a.port};
  cables_.push_back({a, b, std::move(wire)});
}

int Network::attach(RouterPort at, WireUse wire) {
  claim(at) = {Peer::Kind::terminal, false, terminals(), -1};
  attachments_.push_back({at, std::move(wire)});
  return terminals() - 1;
}

void Network::lost(int source, int destination, int at) const {
  throw std::runtime_error("the route from terminal " + std::to_string(source) + " to " + std::to_string(destination) +
                           " gets lost at " + router_name(at));
}

Network::PortNames port_names(std::vector<std::string> names) {
  return std::make_shared<const std::vector<std::string>>(std::move(names));
}

const Place* place_as(Place::Role role, const std::vector<Place>& places) {
  for (const Place& p : places)
    if (p.role == role) return &p;
  return nullptr;
}

}  // namespace tsunagi::topo
